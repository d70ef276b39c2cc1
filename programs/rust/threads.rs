// Threads of std: a channel, a lock, an atomic counter, and what a joined thread returns.
// cleave: expect paths=2 failed=1
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;

fn main() {
    let n: u8 = cleave::any();
    let sum = Arc::new(Mutex::new(0u32));
    let started = Arc::new(AtomicU32::new(0));
    let (sender, receiver) = mpsc::channel();
    let all: Vec<_> = (0..3u32)
        .map(|i| {
            let (sum, started, sender) = (sum.clone(), started.clone(), sender.clone());
            thread::spawn(move || {
                started.fetch_add(1, Ordering::SeqCst);
                *sum.lock().unwrap() += i;
                sender.send(i).unwrap();
                i * 2
            })
        })
        .collect();
    drop(sender);
    let mut received: Vec<u32> = receiver.iter().collect();
    received.sort();
    assert_eq!(received, [0, 1, 2]);
    let results: u32 = all.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!((results, started.load(Ordering::SeqCst)), (6, 3));
    if n == 200 {
        assert_eq!(*sum.lock().unwrap(), u32::from(n)); //~ ERROR panic
    }
    if n > 250 {
        println!("large");
    }
}
