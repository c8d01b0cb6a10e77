import { object } from '../../json.ts'
import { framesOf } from '../../pieces.ts'
import type { Received, Reply } from '../../upstream.ts'
import type { FormatId } from './meaning.ts'
import type { Scenario } from './scenarios/scenario.ts'

/**
 * How a vendor of a format answers a scenario: as a stream, frame by frame, where the request asks for one, else whole.
 */
export function vendorOf(scenario: Scenario, format: FormatId): (request: Received) => Reply {
  const { body, stream } = scenario.answers[format]
  return (request) =>
    object(request.body)['stream'] === true || request.path.includes(':stream')
      ? { kind: 'stream', pieces: framesOf(stream) }
      : { kind: 'whole', body }
}
