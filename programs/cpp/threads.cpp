// Threads of the library: a lock, an exception that comes out of a thread by its future, one that ends a promise.
// cleave: expect paths=3
#include <klee/klee.h>
#include <cstdio>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    std::mutex mutex;
    int sum = 0;
    std::vector<std::thread> threads;
    for (int i = 1; i < 4; i++)
        threads.emplace_back([&, i] {
            std::lock_guard<std::mutex> guard(mutex);
            sum += i;
        });
    for (std::thread &thread : threads)
        thread.join();
    std::promise<int> promise;
    std::future<int> promised = promise.get_future();
    if (x == 33)
        promise.set_exception(std::make_exception_ptr('p'));
    else
        promise.set_value(1);
    std::future<int> answer = std::async(std::launch::async, [x] {
        if (x > 100)
            throw std::runtime_error("out of a thread");
        return 5;
    });
    try {
        std::printf("%d %d\n", sum + promised.get(), answer.get());
    } catch (const std::exception &e) {
        std::puts(e.what());
        return 1;
    } catch (char c) {
        std::printf("%c\n", c);
        return 2;
    }
    return 0;
}
