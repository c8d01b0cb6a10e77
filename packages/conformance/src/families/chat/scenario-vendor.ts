import { framesOf } from '../../chunkings.ts'
import { object } from '../../json.ts'
import type { Received, UpstreamReply } from '../../upstream.ts'
import type { KitFormat } from './meaning.ts'
import type { Scenario } from './scenarios/scenario.ts'

/** A vendor that answers a scenario in a format: as a stream if the request asks for one, otherwise whole. */
export function vendorOf(scenario: Scenario, format: KitFormat): (request: Received) => UpstreamReply {
  const { body, stream } = scenario.answers[format]
  return (request) =>
    object(request.body)['stream'] === true || request.path.includes(':stream')
      ? { kind: 'stream', pieces: framesOf(stream) }
      : { kind: 'whole', body }
}
