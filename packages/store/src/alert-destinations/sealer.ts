import type { Secret } from '../secret/secret.ts'
import type { AlertDestination } from './destinations.ts'

/** Encryption of the addresses of destinations, which contain secrets. */
export interface DestinationSealer {
  seal(address: string, of: Pick<AlertDestination, 'id' | 'kind'>): string
  /** Address of a destination; undefined if it was changed, or sealed with an unknown secret. */
  open(of: Pick<AlertDestination, 'id' | 'kind' | 'sealed'>): string | undefined
}

export function createDestinationSealer(secret: Secret): DestinationSealer {
  const keys = secret.subKeys('alert-destinations')
  const about = ({ id, kind }: Pick<AlertDestination, 'id' | 'kind'>): string => JSON.stringify([id, kind])
  return {
    seal: (address, of) => keys.seal(Buffer.from(address), about(of)),
    open: (of) => keys.open(of.sealed, about(of))?.toString(),
  }
}
