// An order like "12" or "12!", where the exclamation mark asks for gift wrapping. One kind of order ends the program.
#include <iostream>
#include <stdexcept>
#include <string>

struct Order {
    int amount = 0;
    bool gift = false;
};

static Order parse(const std::string &text)
{
    Order order;
    std::size_t end = 0;
    order.amount = std::stoi(text, &end); // throws std::invalid_argument for what is no number
    order.gift = text.at(end) == '!';
    return order;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    try {
        Order order = parse(argv[1]);
        std::cout << order.amount << (order.gift ? ", wrapped" : "") << '\n';
    } catch (const std::invalid_argument &) {
        std::cerr << "no number\n";
        return 1;
    }
    return 0;
}
