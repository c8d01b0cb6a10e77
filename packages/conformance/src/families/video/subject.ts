import type { VideoSupport } from '@headgate/core/provider'
import type { RemoteSubject, Subject } from '../../checks/check.ts'
import type { OwnVideoFacts, RemoteVideoFacts } from './facts.ts'

/** A provider of videos in this process. */
export interface OwnVideoSubject extends Subject {
  readonly video: OwnVideoFacts
}

/** One with an upstream. */
export interface VideoSubject extends RemoteSubject {
  readonly video: RemoteVideoFacts
}

/** What the provider says of its videos. */
export function supportOf({ bench }: Subject): VideoSupport {
  const { video } = bench.provider
  if (!video) throw new TypeError('The provider has no `video`, and the facts of the test have.')
  return video
}
