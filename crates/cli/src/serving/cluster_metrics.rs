//! Metrics of the members of a run, for Prometheus.

use cleave_nats::{MemberStatus, Status, Traffic};

use crate::formats::exposition::{family, label};

/// A figure of each member: name, a flag that is true if the value may decrease, meaning, value.
type Figure = (&'static str, bool, &'static str, fn(&MemberStatus) -> f64);

const OF_MEMBERS: [Figure; 6] = [
    ("cluster_member_workers", true, "Workers that a member runs.", |m| f64::from(m.workers)),
    ("cluster_member_joined_seconds", true, "Since a member joined.", |m| m.joined_s),
    ("cluster_member_silent_seconds", true, "Since a member was last heard.", |m| m.heard_s),
    ("cluster_member_paths", false, "Paths that a member has reported.", |m| m.paths as f64),
    ("cluster_member_received_bytes", false, "Bytes that came from a member.", |m| m.traffic.bytes_in as f64),
    ("cluster_member_sent_bytes", false, "Bytes that went to a member.", |m| m.traffic.bytes_out as f64),
];

/// The metrics of a run on members.
pub fn text(status: &Status) -> String {
    let mut text = String::new();
    let mut one = |name, varies, meaning, value| {
        family(&mut text, name, varies, meaning, &[(label("server", "nats"), value)]);
    };
    let Traffic { packets_in, bytes_in, packets_out, bytes_out } = status.traffic;
    one("cluster_members", true, "Machines that have joined.", status.members.len() as f64);
    one("cluster_waiting_regions", true, "Regions that wait for a worker.", status.open_regions as f64);
    one("cluster_leased_regions", true, "Regions that workers explore.", status.leased_regions as f64);
    one("cluster_received_packets", false, "Packets that came from the server.", packets_in as f64);
    one("cluster_received_bytes", false, "Bytes that came from the server.", bytes_in as f64);
    one("cluster_sent_packets", false, "Packets that went to the server.", packets_out as f64);
    one("cluster_sent_bytes", false, "Bytes that went to the server.", bytes_out as f64);
    for (name, varies, meaning, of) in OF_MEMBERS {
        let sample = |member: &MemberStatus| {
            let labels = [label("member", &member.name), label("address", &member.address)];
            (labels.join(","), of(member))
        };
        let samples: Vec<(String, f64)> = status.members.iter().map(sample).collect();
        family(&mut text, name, varies, meaning, &samples);
    }
    text
}
