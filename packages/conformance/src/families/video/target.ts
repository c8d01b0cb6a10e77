import type { VideoSupport } from '@headgate/core/provider'
import type { CheckTarget, RemoteTarget } from '../../checks/check.ts'
import type { InProcessVideoFacts, RemoteVideoFacts } from './facts.ts'

/** Target with in-process video. */
export interface InProcessVideoTarget extends CheckTarget {
  readonly video: InProcessVideoFacts
}

/** Target whose video has an upstream. */
export interface VideoTarget extends RemoteTarget {
  readonly video: RemoteVideoFacts
}

/** Video support of the provider. */
export function supportOf({ harness }: CheckTarget): VideoSupport {
  const { video } = harness.provider
  if (!video) throw new TypeError('The provider has no `video`, but the facts of the test do.')
  return video
}
