#!/usr/bin/env bash
# verify.sh N DIR: what a lab's own verify script for step N would look at, with kubectl and grep. It is the peer that scripts/bench
# measures the grader against: the same static work, judged far more loosely.
set -euo pipefail
step=$1 dir=$2 ns=op-leader
field() { kubectl -n "$ns" get lease "$1" -o jsonpath="{.spec.$2}"; }
micro='^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z$'
case $step in
  1)
    kubectl get namespace "$ns" >/dev/null
    grep -q 'widget-operator-0' "$dir/lease-widget.yaml"
    grep -q 'uid:' "$dir/lease-initial.yaml"
    [[ $(field widget-operator leaseDurationSeconds) == 15 ]]
    ;;
  2)
    [[ $(grep -cE "$micro" "$dir/renew-log.txt") == 3 ]]
    sort -c "$dir/renew-log.txt"
    [[ ! $(tail -n 1 "$dir/renew-log.txt") > $(field widget-operator renewTime) ]]
    ;;
  3)
    for name in stale-operator fresh-operator; do
      [[ $(field "$name" holderIdentity) == "$name-0" ]]
      [[ -n $(field "$name" renewTime) ]]
      grep -qP "^$name\t(EXPIRED|LIVE)$" "$dir/leases.tsv"
      grep -q "^OK.*$name" "$dir/expiry.txt"
    done
    [[ $(field fresh-operator leaseDurationSeconds) == 86400 ]]
    ;;
  4)
    [[ $(field widget-operator holderIdentity) == widget-operator-1 ]]
    [[ $(field widget-operator leaseTransitions) == 1 ]]
    kubectl -n "$ns" get lease widget-operator -o yaml --show-managed-fields | grep -q 'f:holderIdentity'
    [[ $(grep -cE '^(before|after)-(holder|transitions)=' "$dir/takeover.txt") == 4 ]]
    ;;
  5)
    [[ $(head -n 1 "$dir/microtime-error.txt") == patch-rc=1 ]]
    sentence=$(kubectl -n "$ns" patch lease widget-operator --dry-run=server --type=merge -p '{"spec":{"renewTime":"2026-01-01T00:00:00Z"}}' 2>&1 || true)
    grep -qF "${sentence##*: parsing}" "$dir/microtime-error.txt"
    ;;
  6)
    for verb in get create update; do
      [[ $(kubectl auth can-i "$verb" leases.coordination.k8s.io --as="system:serviceaccount:$ns:widget-operator" -n "$ns" 2>/dev/null) == yes ]]
      grep -q "^$verb=yes$" "$dir/rbac-check.txt"
    done
    for verb in delete list watch patch deletecollection; do
      [[ $(kubectl auth can-i "$verb" leases.coordination.k8s.io --as="system:serviceaccount:$ns:widget-operator" -n "$ns" 2>/dev/null || true) == no ]]
    done
    kubectl -n "$ns" get serviceaccount widget-operator >/dev/null
    kubectl -n "$ns" get role leader-election -o yaml | grep -q leases
    kubectl -n "$ns" get rolebinding leader-election -o yaml | grep -q widget-operator
    ;;
  7)
    [[ $(kubectl -n "$ns" get configmap order-1 -o jsonpath='{.data.phase}') == A ]]
    kubectl -n "$ns" get configmap order-1 -o yaml --show-managed-fields | grep -q widget-operator-0
    conflict=$(kubectl apply --server-side --dry-run=server --field-manager=widget-operator-1 -f "$dir/child-b.yaml" 2>&1 || true)
    grep -qF "$(head -n 1 <<<"$conflict")" "$dir/split-brain.txt"
    [[ $(tail -n 1 "$dir/split-brain.txt") == final-phase=A ]]
    ;;
  8)
    kubectl -n "$ns" get leases -o jsonpath='{range .items[*]}{.metadata.name} holder={.spec.holderIdentity} transitions={.spec.leaseTransitions} duration={.spec.leaseDurationSeconds}{"\n"}{end}' | sort | diff - "$dir/lease-audit.txt" >/dev/null
    for flag in lease-duration renew-deadline retry-period; do grep -q -- "--leader-elect-$flag" "$dir/runbook.txt"; done
    ;;
esac
