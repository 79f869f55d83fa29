# The grader, and around it what a learner's scripts may call: kubectl, bash, coreutils, gawk, jq and python3.
#
#   docker build --build-arg VERSION=v1.0.0 -t grader .
#
# The bases are arguments, for those who take them from a registry of their own or pin them by digest.
ARG GO_IMAGE=golang:1.26-bookworm
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${GO_IMAGE} AS build
# Static, so that neither program needs anything of the final image.
ENV CGO_ENABLED=0

# kubectl is built from the modules pinned for the control plane, so that its version is the tested one and its
# sources are checked against go.sum. It comes first since it changes least. No go mod download here: it would
# fetch the API server's and etcd's modules as well. The variables make kubectl say which version it is, as in
# scripts/control-plane/build.
WORKDIR /src/scripts/control-plane
COPY scripts/control-plane/VERSION scripts/control-plane/go.mod scripts/control-plane/go.sum ./
RUN set -eu; \
    version=$(cat VERSION); minor=${version#v1.}; stamp=; \
    for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do \
      stamp="$stamp -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"; \
      stamp="$stamp -X $package.gitCommit=unknown -X $package.gitTreeState=clean -X $package.buildDate=1970-01-01T00:00:00Z"; \
    done; \
    go build -trimpath -ldflags "-s -w$stamp" -o /out/kubectl k8s.io/kubernetes/cmd/kubectl

# The grader's modules change less often than its sources: a layer before them is kept.
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY checks checks
COPY cmd cmd
COPY grader grader
# What the program says it is; without it, devel.
ARG VERSION=
RUN go build -trimpath -ldflags "-s -w -X main.release=${VERSION}" -o /out/grader ./cmd/grader

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="grader" \
      org.opencontainers.image.description="Scores submissions of the lab op-leader" \
      org.opencontainers.image.licenses="Apache-2.0"
# python3 is the whole one, since python3-minimal has no json. tzdata makes TZ=Asia/Seoul mean what it says:
# without it date takes every zone for UTC and does not complain.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      bash ca-certificates coreutils gawk jq python3 tzdata \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 65532 nonroot \
 && useradd --uid 65532 --gid 65532 --create-home --shell /usr/sbin/nologin nonroot
COPY --from=build /out/kubectl /out/grader /usr/local/bin/
WORKDIR /
# A number, since Kubernetes cannot tell from a name that it is not root's (runAsNonRoot).
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/grader"]
