/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim for C++17 and later: gpuprim.h with objects, containers and exceptions.
 *
 *     #include <gpuprim/gpuprim.hpp>
 *
 *     std::vector<float> x = { 1, 2, 3 }, y(3), taps = { 0.25f, 0.5f, 0.25f };
 *     gprim::context gp;
 *     float sum = gp.reduce<GPUPRIM_SUM>(x);
 *     gprim::filter filter(gp, taps);
 *     filter(x, y);
 *
 * All of it is in this header. It adds nothing to what the functions of gpuprim.h compute: their
 * comments say what results, numerics and errors are. Everything here has get(), which gives
 * the object of the C functions.
 *
 * Arrays     A std::vector, std::array, std::span, C array, or whatever std::data and std::size
 *            take, is a packed host array. rows() and columns() make a matrix of it. A
 *            gpuprim_array, such as one of gpuprim_buffer(), is taken as it is. Its memory must
 *            stay where it is until the call returns or, with a gpuprim_sync, until it is done.
 * Types      The type of elements is that of the container. Another type, such as a half of
 *            your own, needs a specialisation:
 *                template <> struct gprim::type_of<half> {
 *                    static constexpr gpuprim_type value = GPUPRIM_F16;
 *                };
 * Errors     Functions throw gprim::error, which is a std::system_error: code().value() is the
 *            status, what() begins with the library's message.
 * Lifetime   Objects can be moved, not copied. Filters and classifiers must end before their
 *            context, wherever it was moved to.
 * Threads    As in gpuprim.h: any number of threads may call the const functions of an object. */
#ifndef GPUPRIM_HPP
#define GPUPRIM_HPP

#include <array>
#include <complex>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "gpuprim.h"

namespace gprim
{

// ---------------------------------------------------------------------------------------
// Errors

/// The category of gpuprim's and OpenCL's codes; its messages are those of gpuprim_strerror.
inline const std::error_category &category() noexcept
{
    struct codes : std::error_category {
        const char *name() const noexcept override
        {
            return "gpuprim";
        }
        std::string message(int code) const override
        {
            return gpuprim_strerror(code);
        }
    };
    static const codes one;
    return one;
}

/// A function of the library failed, or a container is too small for its matrix.
class error : public std::system_error
{
  public:
    error(int code, const std::string &message)
        : std::system_error(std::error_code(code, category()), message)
    {
    }
};

/// Throws if a status of the library is not GPUPRIM_OK.
inline void check(int status)
{
    if (status != GPUPRIM_OK)
        throw error(status, gpuprim_last_error());
}

// ---------------------------------------------------------------------------------------
// Types

/// The library's number of a C++ type; GPUPRIM_TYPE_INVALID if it has none. bool has none.
template <class T, class = void> struct type_of {
    static constexpr gpuprim_type value = GPUPRIM_TYPE_INVALID;
};
template <> struct type_of<float> {
    static constexpr gpuprim_type value = GPUPRIM_F32;
};
template <> struct type_of<double> {
    static constexpr gpuprim_type value = GPUPRIM_F64;
};
template <> struct type_of<std::complex<float>> {
    static constexpr gpuprim_type value = GPUPRIM_C32;
};
template <class T>
struct type_of<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
    static_assert(sizeof(T) <= 8, "gpuprim has integers of 8 to 64 bits");
    static constexpr bool is_signed = std::is_signed_v<T>;
    static constexpr gpuprim_type value =
        sizeof(T) == 1   ? is_signed ? GPUPRIM_I8 : GPUPRIM_U8
        : sizeof(T) == 2 ? is_signed ? GPUPRIM_I16 : GPUPRIM_U16
        : sizeof(T) == 4 ? is_signed ? GPUPRIM_I32 : GPUPRIM_U32
        : is_signed      ? GPUPRIM_I64
                         : GPUPRIM_U64;
};

/// What context::reduce<Op> returns for elements of type T: the types of gpuprim_reduce_type.
template <gpuprim_op Op, class T> struct result_of {
    static constexpr gpuprim_type type = type_of<T>::value;
    static constexpr bool is_float = type >= GPUPRIM_F16, is_f64 = type == GPUPRIM_F64;
    static constexpr bool is_element =
        (Op >= GPUPRIM_MIN && Op <= GPUPRIM_MAX) || (Op >= GPUPRIM_MINMAX && Op <= GPUPRIM_XOR);
    using floats = std::conditional_t<is_f64, double, float>;
    using integers =
        std::conditional_t<std::is_signed_v<T> && Op != GPUPRIM_MAX_ABS, int64_t, uint64_t>;
    using one = std::conditional_t<
        is_element, T,
        std::conditional_t<
            Op == GPUPRIM_ARGMIN || Op == GPUPRIM_ARGMAX || Op == GPUPRIM_COUNT, uint64_t,
            std::conditional_t<
                Op == GPUPRIM_ANY || Op == GPUPRIM_ALL, uint8_t,
                std::conditional_t<Op == GPUPRIM_STATISTICS ||
                                       (Op == GPUPRIM_MEAN && type != GPUPRIM_F32),
                                   double, std::conditional_t<is_float, floats, integers>>>>>;
    static constexpr std::size_t count = Op == GPUPRIM_STATISTICS ? 5
                                         : Op == GPUPRIM_MINMAX   ? 2
                                                                  : 1;
    using type_of_call = std::conditional_t<count == 1, one, std::array<one, count>>;
};
template <gpuprim_op Op, class T> using result_t = typename result_of<Op, T>::type_of_call;

// ---------------------------------------------------------------------------------------
// Arrays

template <class C>
using element_t = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;

/// An array that a call reads.
struct input {
    gpuprim_array array;

    input(const gpuprim_array &described) : array(described)
    {
    }
    template <class C, class T = element_t<const C>>
    input(const C &container)
        : array(gpuprim_host(type_of<std::remove_cv_t<T>>::value, std::data(container),
                             std::size(container)))
    {
        static_assert(type_of<std::remove_cv_t<T>>::value != GPUPRIM_TYPE_INVALID,
                      "gpuprim has no such type of elements; see gprim::type_of");
    }
};

/// An array that a call writes. It can be read, too.
struct output : input {
    output(const gpuprim_array &described) : input(described)
    {
    }
    template <class C, class T = element_t<C>, class = std::enable_if_t<!std::is_const_v<T>>>
    output(C &&container) : input(container)
    {
    }
};

namespace detail
{
template <class C>
using view_t = std::conditional_t<std::is_const_v<element_t<C>>, input, output>;

template <class C> void fits(const C &container, uint64_t rows, uint64_t columns)
{
    if (columns && rows > std::size(container) / columns)
        throw error(GPUPRIM_E_RANGE, std::to_string(rows) + " x " + std::to_string(columns) +
                                         " elements do not fit a container of " +
                                         std::to_string(std::size(container)));
}
} // namespace detail

/// The rows of a matrix of rows x columns elements, which is stored row by row.
template <class C> auto rows(C &&container, uint64_t rows, uint64_t columns)
{
    detail::fits(container, rows, columns);
    return detail::view_t<std::remove_reference_t<C>>(
        gpuprim_as_rows(input(container).array, rows, columns));
}

/// The columns of such a matrix; for interleaved samples `rows` is the number of frames.
template <class C> auto columns(C &&container, uint64_t rows, uint64_t columns)
{
    detail::fits(container, rows, columns);
    return detail::view_t<std::remove_reference_t<C>>(
        gpuprim_as_columns(input(container).array, rows, columns));
}

// ---------------------------------------------------------------------------------------
// Context, filter, classifier

namespace detail
{
template <class T, void (*destroy)(T **)> struct end {
    void operator()(T *object) const
    {
        destroy(&object);
    }
};
template <class T, void (*destroy)(T **)> using handle = std::unique_ptr<T, end<T, destroy>>;
} // namespace detail

/// One device.
class context
{
    detail::handle<::gpuprim, gpuprim_destroy> handle_;

  public:
    /// As gpuprim_options.device: "gpu", "cpu", an index or a part of a name; NULL: the default.
    explicit context(const char *device = nullptr)
    {
        gpuprim_options options{};
        options.device = device;
        *this = context(options);
    }
    explicit context(const gpuprim_options &options)
    {
        ::gpuprim *made = nullptr;
        check(gpuprim_create(&options, &made));
        handle_.reset(made);
    }
    /// Takes what gpuprim_create_cl has made, and destroys it in the end.
    explicit context(::gpuprim *made) : handle_(made)
    {
    }
    ::gpuprim *get() const noexcept
    {
        return handle_.get();
    }

    /// gpuprim_reduce: out[r] = all elements of row r of in, reduced.
    void reduce(const input &in, const output &out, const gpuprim_reduce_params &params,
                const gpuprim_sync *sync = nullptr) const
    {
        check(gpuprim_reduce(get(), &in.array, &out.array, &params, sync));
    }
    void reduce(const input &in, const output &out, gpuprim_op op,
                const gpuprim_sync *sync = nullptr) const
    {
        gpuprim_reduce_params params{};
        params.op = op;
        reduce(in, out, params, sync);
    }
    /// All elements of a container reduced: a number, or for MINMAX and STATISTICS a std::array.
    template <gpuprim_op Op, class C>
    result_t<Op, std::remove_cv_t<element_t<const C>>> reduce(const C &container) const
    {
        using result = result_of<Op, std::remove_cv_t<element_t<const C>>>;
        std::array<typename result::one, result::count> found{};
        reduce(container, found, Op);
        if constexpr (result::count == 1)
            return found[0];
        else
            return found;
    }
};

/// Prepared taps: y = the convolution of x with them.
class filter
{
    ::gpuprim *gp_; // stays the same where the context is moved
    detail::handle<gpuprim_filter, gpuprim_filter_destroy> handle_;

  public:
    /// The types of input and output are those of the params; 0: the taps' type.
    filter(const context &gp, const input &taps, const gpuprim_filter_params &params = {})
        : gp_(gp.get())
    {
        gpuprim_filter *made = nullptr;
        check(gpuprim_filter_create(gp.get(), &taps.array, &params, &made));
        handle_.reset(made);
    }
    gpuprim_filter *get() const noexcept
    {
        return handle_.get();
    }
    /// The number of outputs for a row of `count` inputs.
    uint64_t outputs(uint64_t count) const noexcept
    {
        return gpuprim_filter_outputs(get(), count);
    }
    /// gpuprim_convolve1d: each row of `in` to a row of `out`.
    void operator()(const input &in, const output &out,
                    const gpuprim_history *history = nullptr,
                    const gpuprim_sync *sync = nullptr) const
    {
        check(gpuprim_convolve1d(gp_, get(), &in.array, &out.array, history, sync));
    }
    /// For the boundary HISTORY: `past` has the samples before each row, and receives those
    /// before the next block.
    void operator()(const input &in, const output &out, const output &past,
                    const gpuprim_sync *sync = nullptr) const
    {
        const gpuprim_history history{ past.array, past.array, { 0, 0, 0, 0 } };
        (*this)(in, out, &history, sync);
    }
    /// Which variant runs long contiguous rows, and why.
    std::string describe() const
    {
        std::string text(gpuprim_filter_describe(get(), nullptr, nullptr, nullptr, 0), '\0');
        if (text.empty())
            throw error(GPUPRIM_E_BUILD, gpuprim_last_error());
        gpuprim_filter_describe(get(), nullptr, nullptr, &text[0], text.size() + 1);
        return text;
    }
};

/// A prepared rule, which gives each element a label.
class classifier
{
    ::gpuprim *gp_; // stays the same where the context is moved
    detail::handle<gpuprim_classifier, gpuprim_classifier_destroy> handle_;

  public:
    /// Any rule: the params point to its struct. The functions below fill them in; what they get
    /// as `params` may have nan, nan_class, map, accumulate.
    classifier(const context &gp, const gpuprim_classifier_params &params) : gp_(gp.get())
    {
        gpuprim_classifier *made = nullptr;
        check(gpuprim_classifier_create(gp.get(), &params, &made));
        handle_.reset(made);
    }
    /// The class of x is the number of thresholds t <= x; CLOSED_RIGHT: t < x.
    static classifier thresholds(const context &gp, const input &values,
                                 gpuprim_closed closed = GPUPRIM_CLOSED_LEFT,
                                 gpuprim_classifier_params params = {})
    {
        gpuprim_thresholds rule{};
        rule.values = values.array;
        rule.closed = closed;
        params.thresholds = &rule;
        return classifier(gp, params);
    }
    /// Intervals of equal width, for elements of type T.
    template <class T>
    static classifier uniform(const context &gp, const gpuprim_uniform &rule,
                              gpuprim_classifier_params params = {})
    {
        params.uniform = &rule;
        params.in = type_of<T>::value;
        return classifier(gp, params);
    }
    /// label = labels[(x >> shift) & mask], for integers of type T; mask 0: all entries.
    template <class T>
    static classifier table(const context &gp, const input &labels, unsigned shift = 0,
                            uint64_t mask = 0)
    {
        gpuprim_table rule{};
        rule.labels = labels.array;
        rule.shift = shift;
        rule.mask = mask;
        gpuprim_classifier_params params{};
        params.table = &rule;
        params.in = type_of<T>::value;
        return classifier(gp, params);
    }
    /// The label of the first case with (x & mask) == value, for integers of type T. `list` is a
    /// container of gpuprim_case.
    template <class T, class C>
    static classifier cases(const context &gp, const C &list,
                            uint32_t otherwise = GPUPRIM_REJECT)
    {
        gpuprim_cases rule{};
        rule.list = std::data(list);
        rule.count = static_cast<uint32_t>(std::size(list));
        rule.otherwise = otherwise;
        gpuprim_classifier_params params{};
        params.cases = &rule;
        params.in = type_of<T>::value;
        return classifier(gp, params);
    }
    gpuprim_classifier *get() const noexcept
    {
        return handle_.get();
    }
    /// How many labels are counted.
    uint64_t labels() const noexcept
    {
        return gpuprim_classifier_labels(get());
    }
    /// gpuprim_classify: the label of each element.
    void operator()(const input &in, const output &labels,
                    const gpuprim_sync *sync = nullptr) const
    {
        check(gpuprim_classify(gp_, get(), &in.array, &labels.array, nullptr, sync));
    }
    /// How many elements have each label, in uint32_t or uint64_t.
    void count(const input &in, const output &counts, const gpuprim_sync *sync = nullptr) const
    {
        check(gpuprim_classify(gp_, get(), &in.array, nullptr, &counts.array, sync));
    }
    /// Both in one call.
    void label_and_count(const input &in, const output &labels, const output &counts,
                         const gpuprim_sync *sync = nullptr) const
    {
        check(gpuprim_classify(gp_, get(), &in.array, &labels.array, &counts.array, sync));
    }
    /// How the rule is computed, and why; which cases can never decide.
    std::string describe() const
    {
        std::string text(gpuprim_classifier_describe(get(), nullptr, 0), '\0');
        gpuprim_classifier_describe(get(), &text[0], text.size() + 1);
        return text;
    }
};

} // namespace gprim

#endif
