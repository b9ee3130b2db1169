"""Fast Fourier transforms of real samples, and single waves; compiled.

The number of samples N is a power of two. ``circle`` (N, 2) holds cos and sin of 2 pi j / N. All sums have the sign
exp(+i k tau): then samples turn into pairs (cos, sin), and pairs into samples, by the same complex transform.
"""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.periodic.balance.records import LawPlan

TRANSFORM_COST = 16  # products a sample, for which single samples are summed in the same time


def transform(data: Array, spare: Array, circle: Array, count: int) -> bool:
    """Sums of ``count`` complex numbers times exp(+2 pi i j k / count), by Stockham's method: radix 4, then 2.

    data, spare : (2 count,) both are overwritten.   circle : of 2 count numbers. True if the sums lie in ``spare``.
    """
    swapped = False
    rest = count
    stride = 1
    while rest >= 4:
        if swapped:
            pass_of_four(spare, data, circle, rest, stride)
        else:
            pass_of_four(data, spare, circle, rest, stride)
        swapped = not swapped
        rest = rest // 4
        stride = stride + stride + stride + stride
    if rest == 2:
        if swapped:
            pass_of_two(spare, data, count // 2)
        else:
            pass_of_two(data, spare, count // 2)
        swapped = not swapped
    return swapped


def pass_of_four(x: Array, y: Array, circle: Array, rest: int, stride: int) -> None:
    """One pass of radix 4 from x to y."""
    quarter = rest // 4
    for p in range(quarter):
        turn = 4 * p * stride  # of 2 count points on the circle, as pairs
        c1 = circle[turn]
        s1 = circle[turn + 1]
        c2 = circle[2 * turn]
        s2 = circle[2 * turn + 1]
        c3 = circle[3 * turn]
        s3 = circle[3 * turn + 1]
        a = view(x, 2 * stride * p)
        b = view(x, 2 * stride * (p + quarter))
        c = view(x, 2 * stride * (p + 2 * quarter))
        d = view(x, 2 * stride * (p + 3 * quarter))
        out = view(y, 8 * stride * p)
        for q in range(stride):
            i = 2 * q
            even_re = a[i] + c[i]
            even_im = a[i + 1] + c[i + 1]
            odd_re = b[i] + d[i]
            odd_im = b[i + 1] + d[i + 1]
            out[i] = even_re + odd_re
            out[i + 1] = even_im + odd_im
            re = even_re - odd_re
            im = even_im - odd_im
            out[4 * stride + i] = c2 * re - s2 * im
            out[4 * stride + i + 1] = c2 * im + s2 * re
            even_re = a[i] - c[i]
            even_im = a[i + 1] - c[i + 1]
            odd_re = d[i + 1] - b[i + 1]
            odd_im = b[i] - d[i]
            re = even_re + odd_re
            im = even_im + odd_im
            out[2 * stride + i] = c1 * re - s1 * im
            out[2 * stride + i + 1] = c1 * im + s1 * re
            re = even_re - odd_re
            im = even_im - odd_im
            out[6 * stride + i] = c3 * re - s3 * im
            out[6 * stride + i + 1] = c3 * im + s3 * re


def pass_of_two(x: Array, y: Array, stride: int) -> None:
    """The last pass of radix 2 from x to y."""
    wide = 2 * stride
    for i in range(wide):
        y[i] = x[i] + x[wide + i]
        y[wide + i] = x[i] - x[wide + i]


def samples_of_series(
    series: Array, width: int, slopes: int, circle: Array, samples: int, room: Array, out: Array
) -> None:
    """out (samples,) = values of a series (width,), or its derivatives by tau; room : (2 samples + 4,)."""
    half = samples // 2
    harmonics = (width - 1) // 2
    spectrum = room  # of exp(i k tau), k = 0 to half
    for i in range(samples + 2):
        spectrum[i] = 0.0
    spectrum[0] = 0.0 if slopes else series[width - 1]
    for h in range(1, harmonics + 1):
        cos = 0.5 * series[2 * h - 2]
        sin = 0.5 * series[2 * h - 1]
        spectrum[2 * h] = h * sin if slopes else cos
        spectrum[2 * h + 1] = h * cos if slopes else -sin
    data = view(room, samples + 2)
    for k in range(half):
        mirror = 2 * (half - k)
        re = spectrum[2 * k] - spectrum[mirror]
        im = spectrum[2 * k + 1] + spectrum[mirror + 1]
        cos = circle[2 * k]
        sin = circle[2 * k + 1]
        data[2 * k] = spectrum[2 * k] + spectrum[mirror] - (cos * im + sin * re)
        data[2 * k + 1] = spectrum[2 * k + 1] - spectrum[mirror + 1] + cos * re - sin * im
    found = room if transform(data, room, circle, half) else data
    for i in range(samples):
        out[i] = found[i]


def spectrum_of_samples(values: Array, circle: Array, samples: int, room: Array, count: int, out: Array) -> None:
    """out (2 count,) = sums of samples times exp(i k tau), k = 0 to count - 1, as pairs; room : (2 samples + 4,)."""
    half = samples // 2
    spare = view(room, samples + 2)
    for i in range(samples):
        room[i] = values[i]
    found = spare if transform(room, spare, circle, half) else room
    for n in range(count):
        k = n if n < samples else n - samples
        sign = 1.0
        if k > half:
            k = samples - k
            sign = -1.0
        at = 2 * k if k < half else 0
        mirror = 2 * (half - k) if k > 0 else 0
        even_re = 0.5 * (found[at] + found[mirror])
        even_im = 0.5 * (found[at + 1] - found[mirror + 1])
        odd_re = 0.5 * (found[at + 1] + found[mirror + 1])
        odd_im = 0.5 * (found[mirror] - found[at])
        cos = circle[2 * k]
        sin = circle[2 * k + 1]
        out[2 * n] = even_re + cos * odd_re - sin * odd_im
        out[2 * n + 1] = sign * (even_im + cos * odd_im + sin * odd_re)


def add_waves(circle: Array, samples: int, k: int, harmonics: int, factor: float, out: Array) -> None:
    """Add cos and sin of each harmonic at sample k, times a factor, to pairs (2 harmonics,)."""
    j = 0  # the phase in whole numbers: cos(h tau) of a late sample is as good as that of an early one
    for h in range(harmonics):
        j += k
        if j >= samples:
            j -= samples
        out[2 * h] += factor * circle[2 * j]
        out[2 * h + 1] += factor * circle[2 * j + 1]


def add_wave_slopes(circle: Array, samples: int, k: int, harmonics: int, factor: float, out: Array) -> None:
    """Add the derivatives by tau of cos and sin of each harmonic at sample k, times a factor, to pairs."""
    j = 0
    for h in range(harmonics):
        j += k
        if j >= samples:
            j -= samples
        out[2 * h] -= factor * ((h + 1.0) * circle[2 * j + 1])
        out[2 * h + 1] += factor * ((h + 1.0) * circle[2 * j])


def wave_at(circle: Array, samples: int, k: int, width: int, c: int) -> float:
    """Function c of a series (width,) at sample k: cos and sin of the harmonics in turn, then 1."""
    if c == width - 1:
        return 1.0
    turned = (c // 2 + 1) * k
    j = turned - samples * int(turned / samples)
    if j < 0:
        j += samples
    elif j >= samples:
        j -= samples
    return float(circle[2 * j + (c - 2 * (c // 2))])


def add_projection(plan: LawPlan, k: int, factor: float, width: int, out: Array) -> None:
    """Add the harmonics of a force at sample k alone to pairs (width + 1,)."""
    samples = plan.sample_count
    half = (width - 1) // 2
    add_waves(plan.circle, samples, k, half, 2.0 / samples * factor, out)
    out[2 * half] += factor / samples


def add_harmonics(plan: LawPlan, values: Array, width: int, out: Array) -> None:
    """Add the harmonics of samples to pairs (width + 1,), by a fast transform."""
    samples = plan.sample_count
    half = (width - 1) // 2
    room = plan.transform_room
    spectrum = view(room, 3 * samples + 4)  # behind what the transform and a column need
    spectrum_of_samples(values, plan.circle, samples, room, half + 1, spectrum)
    for h in range(half):
        out[2 * h] += 2.0 / samples * spectrum[2 * h + 2]
        out[2 * h + 1] += 2.0 / samples * spectrum[2 * h + 3]
    out[2 * half] += spectrum[0] / samples


def add_harmonics_of_interval(plan: LawPlan, weights: Array, begin: int, end: int, width: int, out: Array) -> None:
    """Add the harmonics of samples from one to another, both included and past the last one too, to pairs."""
    samples = plan.sample_count
    count = end - begin if begin <= end else end - begin + samples
    if (count + 1) * width < TRANSFORM_COST * samples:
        k = begin
        for _ in range(count + 1):
            if weights[k] != 0.0:
                add_projection(plan, k, weights[k], width, out)
            k = k + 1 if k + 1 < samples else 0
        return
    own = view(plan.transform_room, 2 * samples + 4)
    for k in range(samples):
        inside = begin <= k and k <= end if begin <= end else k >= begin or k <= end
        own[k] = weights[k] if inside else 0.0
    add_harmonics(plan, own, width, out)
