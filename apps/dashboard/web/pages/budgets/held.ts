interface Lease {
  readonly granted: string
  readonly used: string
}

/**
 * What of a lease nobody knows to be spent, in nano-dollars. One that has used more than it was granted holds nothing.
 */
export function heldOf({ granted, used }: Lease): bigint {
  const left = BigInt(granted) - BigInt(used)
  return left > 0n ? left : 0n
}

export function heldBy(leases: readonly Lease[]): bigint {
  return leases.reduce((sum, lease) => sum + heldOf(lease), 0n)
}
