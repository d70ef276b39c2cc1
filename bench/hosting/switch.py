"""A switch between hosts: passes frames on between their TAP devices, after a delay, at a rate, or not at all.

It does what `tc netem` does on links of a bridge, and needs no kernel module: /dev/net/tun is all. Its figures are those of
the wire: what each host sent and got, counted by neither of the programs under test.

Runs as a process of its own: `switch.py DELAY_MS MBIT HOSTS`. Orders come on standard input, a socket, and each is answered:
`wire N` with the descriptor of a TAP device, for the host whose address ends with N; `up N`, `down N`, `counts`.
"""
import heapq, json, os, select, socket, sys, time

# More than this behind, and frames are dropped: the buffer of the link.
BEHIND = 0.1


class Switch:
    def __init__(self, delay, bits, hosts):
        self.delay, self.seconds_a_byte = delay, 8 / bits
        self.taps, self.up = [None] * hosts, [False] * hosts
        # When each host's wire is free again, in either direction.
        self.free = [[0.0, 0.0] for _ in range(hosts)]
        self.waiting, self.number = [], 0
        self.counts = [{"sent": 0, "bytes_sent": 0, "got": 0, "bytes_got": 0, "dropped": 0} for _ in range(hosts)]

    def occupy(self, host, direction, start, frame):
        """When the frame has passed the host's wire; `None` if too many wait for it."""
        start = max(start, self.free[host][direction])
        if start - time.monotonic() > BEHIND:
            self.counts[host]["dropped"] += 1
            return None
        self.free[host][direction] = start + len(frame) * self.seconds_a_byte
        return self.free[host][direction]

    def take(self, source, frame):
        """A frame from a host. The last byte of an address names its host; the group bit means all."""
        if len(frame) < 14 or not self.up[source]:
            return
        passed = self.occupy(source, 0, time.monotonic(), frame)
        if passed is None:
            return
        self.counts[source]["sent"] += 1
        self.counts[source]["bytes_sent"] += len(frame)
        everyone = frame[0] & 1
        for host in range(len(self.taps)) if everyone else [frame[5] - 1]:
            if host != source and 0 <= host < len(self.taps):
                self.number += 1
                heapq.heappush(self.waiting, (passed + self.delay, self.number, host, frame))

    def deliver(self):
        """Passes on what is due; returns how long until the next is."""
        while self.waiting:
            left = self.waiting[0][0] - time.monotonic()
            if left > 0:
                return left
            _, _, host, frame = heapq.heappop(self.waiting)
            if not self.up[host] or self.taps[host] is None or self.occupy(host, 1, time.monotonic(), frame) is None:
                continue
            self.counts[host]["got"] += 1
            self.counts[host]["bytes_got"] += len(frame)
            try:
                os.write(self.taps[host], frame)
            except OSError:
                # The host is off.
                self.counts[host]["dropped"] += 1
        return None

    def obey(self, order, tap):
        word, *arguments = order.split()
        host = int(arguments[0]) - 1 if arguments else None
        if word == "counts":
            return json.dumps(self.counts)
        if word == "wire":
            if self.taps[host] is not None:
                os.close(self.taps[host])
            os.set_blocking(tap, False)
            self.taps[host] = tap
        self.up[host] = word != "down"
        return "done"

    def hear(self, host):
        """Takes in what a host sends."""
        try:
            for _ in range(64):
                self.take(host, os.read(self.taps[host], 4096))
        except BlockingIOError:
            pass
        except OSError:
            # The host is off.
            os.close(self.taps[host])
            self.taps[host] = None

    def run(self, orders):
        while True:
            left = self.deliver()
            wired = {tap: host for host, tap in enumerate(self.taps) if tap is not None}
            ready, _, _ = select.select([orders, *wired], [], [], left)
            if orders in ready:
                order, taps, _, _ = socket.recv_fds(orders, 4096, 1)
                if not order:
                    return
                orders.send(self.obey(order.decode(), *(taps or [None])).encode())
            else:
                for tap in ready:
                    self.hear(wired[tap])


if __name__ == "__main__":
    Switch(float(sys.argv[1]) / 1000, float(sys.argv[2]) * 1e6, int(sys.argv[3])).run(socket.socket(fileno=0))
