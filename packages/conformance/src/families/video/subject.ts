import type { VideoSupport } from '@headgate/core/provider'
import type { RemoteSubject, Subject } from '../../checks/check.ts'
import type { OwnVideoFacts, RemoteVideoFacts } from './facts.ts'

/** Target with in-process video. */
export interface OwnVideoSubject extends Subject {
  readonly video: OwnVideoFacts
}

/** Target whose video has an upstream. */
export interface VideoSubject extends RemoteSubject {
  readonly video: RemoteVideoFacts
}

/** Video support of the provider. */
export function supportOf({ bench }: Subject): VideoSupport {
  const { video } = bench.provider
  if (!video) throw new TypeError('The provider has no `video`, but the facts of the test do.')
  return video
}
