/** Rest of a lease that can still be spent; 0 if worst-case costs were too low. */
export function remainingLease({ granted, used }: { readonly granted: bigint; readonly used: bigint }): bigint {
  return granted > used ? granted - used : 0n
}

export function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

export function greater(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
