import type { RemoteTarget } from '../../checks/check.ts'
import type { ImagesFacts } from './facts.ts'

export interface ImagesTarget extends RemoteTarget {
  readonly images: ImagesFacts
}
