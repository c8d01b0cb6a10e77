/** What a life may still spend of what it was granted: nothing where its bounds were too small. */
export function outstanding({ granted, used }: { readonly granted: bigint; readonly used: bigint }): bigint {
  return granted > used ? granted - used : 0n
}

export function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

export function greater(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
