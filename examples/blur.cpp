/* SPDX-License-Identifier: Apache-2.0
 *
 * A Gaussian blur of an image of bytes: its rows are filtered to floats, then the columns of
 * those to bytes again, rounded and saturated. Beyond its borders the image is mirrored. */
#include <cmath>
#include <cstdio>
#include <gpuprim/gpuprim.hpp>
#include <vector>

static std::vector<float> gaussian(double sigma)
{
    const int radius = static_cast<int>(std::ceil(3 * sigma));
    std::vector<float> taps;
    double sum = 0;
    for (int i = -radius; i <= radius; i++)
        sum += std::exp(-i * i / (2 * sigma * sigma));
    for (int i = -radius; i <= radius; i++)
        taps.push_back(static_cast<float>(std::exp(-i * i / (2 * sigma * sigma)) / sum));
    return taps;
}

static gprim::filter mirrored(const gprim::context &gp, const std::vector<float> &taps,
                              gpuprim_type in, gpuprim_type out)
{
    gpuprim_filter_params params{};
    params.in = in;
    params.out = out;
    params.left = params.right = GPUPRIM_REFLECT_HALF;
    return gprim::filter(gp, taps, params);
}

static std::vector<uint8_t> blur(const std::vector<uint8_t> &image, size_t height, size_t width,
                                 const std::vector<float> &taps)
{
    std::vector<float> across(image.size());
    std::vector<uint8_t> blurred(image.size());
    const gprim::context gp;
    mirrored(gp, taps, GPUPRIM_U8, GPUPRIM_F32)(gprim::rows(image, height, width),
                                                gprim::rows(across, height, width));
    mirrored(gp, taps, GPUPRIM_F32, GPUPRIM_U8)(gprim::columns(across, height, width),
                                                gprim::columns(blurred, height, width));
    return blurred;
}

// The pixel by the definition: the sum over a square around it.
static double pixel(const std::vector<uint8_t> &image, size_t height, size_t width,
                    const std::vector<float> &taps, size_t y, size_t x)
{
    const auto mirror = [](size_t at, size_t tap, size_t radius, size_t n) {
        const size_t i = at + tap < radius ? radius - at - tap - 1 : at + tap - radius;
        return i < n ? i : 2 * n - 1 - i;
    };
    const size_t radius = taps.size() / 2;
    double sum = 0;
    for (size_t i = 0; i < taps.size(); i++)
        for (size_t j = 0; j < taps.size(); j++)
            sum += static_cast<double>(taps[i]) * static_cast<double>(taps[j]) *
                   image[mirror(y, i, radius, height) * width + mirror(x, j, radius, width)];
    return sum;
}

int main()
try {
    const size_t height = 120, width = 200;
    std::vector<uint8_t> image(height * width);
    for (size_t i = 0; i < image.size(); i++) // stripes and a disc
        image[i] = static_cast<uint8_t>(
            std::hypot(double(i / width) - 60, double(i % width) - 100) < 40
                ? 255
                : i % width / 9 % 2 * 90);
    const std::vector<float> taps = gaussian(2);
    const std::vector<uint8_t> blurred = blur(image, height, width, taps);
    int wrong = 0;
    for (size_t i = 0; i < image.size(); i += 7)
        wrong += std::abs(pixel(image, height, width, taps, i / width, i % width) -
                          blurred[i]) > .501;
    std::printf("%zu x %zu pixels, %zu x %zu taps: %d are not as the definition says\n", width,
                height, taps.size(), taps.size(), wrong);
    return wrong ? 1 : 0;
} catch (const gprim::error &e) {
    std::fprintf(stderr, "blur: %s\n", e.what());
    return e.code().value() == GPUPRIM_E_NO_DEVICE ? 77 : 1;
}
