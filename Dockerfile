# Cleave on Debian 12: `docker build -t cleave .`, then `docker run --rm -v "$PWD:/work" cleave run prog.c --sym-arg 4`.
# Replaying tests in namespaces needs `--security-opt seccomp=unconfined`; without it `replay` isolates by seccomp alone.
FROM rust:1-bookworm AS build
WORKDIR /cleave
COPY . .
RUN make build sysroot && make install DESTDIR=/out PREFIX=/usr

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
        clang-19 libclang-rt-19-dev lld-19 llvm-19 musl-dev gcc libc6-dev libgmp10 libstdc++6 libzstd1 zlib1g && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /out/usr /usr
WORKDIR /work
ENTRYPOINT ["cleave"]
