/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that knows gpuprim.hpp only as installed. It uses all of it once. */
#include <gpuprim/gpuprim.hpp>

#include <cstdio>
#include <cstring>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

// A half of one's own.
struct half {
    uint16_t bits;
};
template <> struct gprim::type_of<half> {
    static constexpr gpuprim_type value = GPUPRIM_F16;
};

static int wrong;
#define CHECK(...)                                                                             \
    ((__VA_ARGS__) ? (void)0                                                                   \
                   : (void)(wrong++, std::printf("line %d: %s\n", __LINE__, #__VA_ARGS__)))

// The types that the header computes are those of the library, for all operations.
template <gpuprim_op Op, class T> static void same_type()
{
    const gpuprim_type type = gprim::type_of<T>::value;
    const gpuprim_type result = gpuprim_reduce_type(Op, type, GPUPRIM_TYPE_INVALID);
    CHECK(!result || result == gprim::type_of<typename gprim::result_of<Op, T>::one>::value);
}
template <int Op, class T, class... Types> static void same_types()
{
    same_type<static_cast<gpuprim_op>(Op), T>();
    if constexpr (sizeof...(Types) > 0)
        same_types<Op, Types...>();
}
template <int... Ops> static void all_types(std::integer_sequence<int, Ops...>)
{
    (same_types<Ops, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, long, unsigned long,
                long long, half, float, double>(),
     ...);
}

template <class F> static std::string message_of(int code, F function)
{
    try {
        function();
    } catch (const std::system_error &e) {
        CHECK(e.code() == std::error_code(code, gprim::category()));
        return e.what();
    }
    return "nothing was thrown";
}
static bool begins(const std::string &text, const char *with)
{
    return text.compare(0, std::strlen(with), with) == 0;
}

static void reduce(const gprim::context &gp)
{
    const std::vector<float> x = { 1, 2, 3, 4, 5, 6 };
    std::array<float, 3> sums{};
    std::vector<float> maxima(2);
    CHECK(gp.reduce<GPUPRIM_SUM>(x) == 21.f);
    CHECK((gp.reduce<GPUPRIM_MINMAX>(x) == std::array<float, 2>{ 1, 6 }));
    gp.reduce(gprim::columns(x, 2, 3), sums, GPUPRIM_SUM);
    CHECK(sums[0] == 5 && sums[1] == 7 && sums[2] == 9);
    gp.reduce(gprim::rows(x, 2, 3), gprim::rows(maxima, 2, 1), GPUPRIM_MAX);
    CHECK(maxima[0] == 3 && maxima[1] == 6);
    const int8_t bytes[] = { -7, 3 };
    CHECK(gp.reduce<GPUPRIM_MAX_ABS>(bytes) == 7u);
#if __cplusplus >= 202002L
    CHECK(gp.reduce<GPUPRIM_SUM>(std::span(x).subspan(1, 2)) == 5.f);
    gp.reduce(x, std::span(sums).first(1), GPUPRIM_MAX);
    CHECK(sums[0] == 6);
#endif
    CHECK(begins(message_of(GPUPRIM_E_ARG, [&] { gp.reduce(x, maxima, GPUPRIM_SUM); }),
                 "gpuprim_reduce: out has 2 elements"));
    CHECK(begins(message_of(GPUPRIM_E_RANGE, [&] { gprim::rows(x, 2, 4); }), "2 x 4 elements"));
}

static void convolve(const gprim::context &gp)
{
    const std::vector<float> x = { 0, 4, 0, 8 }, taps = { 1, 2 };
    std::vector<float> y(4), past(1);
    gpuprim_filter_params params{};
    params.mode = GPUPRIM_CAUSAL;
    params.left = GPUPRIM_HISTORY;
    gprim::filter made(gp, taps, params), filter = std::move(made);
    CHECK(filter.outputs(4) == 4 && filter.describe().size() > 10);
    filter(x, y, past);
    CHECK(y == (std::vector<float>{ 0, 4, 8, 8 }) && past[0] == 8);
    filter(x, y, gprim::rows(past, 1, 1));
    CHECK(y[0] == 16 && y[1] == 4);
}

static void classify(const gprim::context &gp)
{
    const std::vector<float> x = { -3, 0.5f, 7, 2 }, t = { 0, 1, 10 };
    std::vector<uint8_t> labels(4), bytes = { 3, 18, 35, 3 };
    std::vector<uint64_t> counts(4);
    const auto made = gprim::classifier::thresholds(gp, t);
    made.label_and_count(x, labels, counts);
    CHECK(labels == (std::vector<uint8_t>{ 0, 1, 2, 2 }));
    CHECK(made.labels() == 4 && counts == (std::vector<uint64_t>{ 1, 1, 2, 0 }));
    gprim::classifier::table<uint8_t>(gp, std::array<uint8_t, 4>{ 9, 8, 7, 6 }, 4)(bytes,
                                                                                   labels);
    CHECK(labels == (std::vector<uint8_t>{ 9, 8, 7, 9 }));
    const gpuprim_case cases[] = { { 0xf, 3, 0 }, { 0, 0, 1 } };
    const auto chain = gprim::classifier::cases<uint8_t>(gp, cases);
    std::vector<uint32_t> found(2);
    chain.count(bytes, found);
    CHECK(found == (std::vector<uint32_t>{ 3, 1 }) && !chain.describe().empty());
    gpuprim_uniform even{};
    even.low = -4;
    even.high = 8;
    even.bins = 3;
    gprim::classifier::uniform<float>(gp, even)(x, labels);
    CHECK(labels == (std::vector<uint8_t>{ 0, 1, 2, 1 }));
}

int main()
try {
    all_types(std::make_integer_sequence<int, GPUPRIM_STATISTICS + 1>());
    gprim::context first;
    const gprim::filter doubled(first, std::vector<float>{ 2 });
    const gprim::context gp = std::move(first);
    std::vector<float> two = { 1 };
    doubled(std::vector<float>{ 1 }, two); // the context was moved
    CHECK(two[0] == 2 && !first.get() && gp.get());
    CHECK(begins(message_of(GPUPRIM_E_NO_DEVICE, [] { gprim::context("no such device"); }),
                 "gpuprim_create: "));
    reduce(gp);
    convolve(gp);
    classify(gp);
    return wrong ? 1 : 0;
} catch (const gprim::error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return e.code().value() == GPUPRIM_E_NO_DEVICE ? 77 : 1;
}
