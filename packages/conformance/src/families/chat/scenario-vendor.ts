import { object } from '../../json.ts'
import { framesOf } from '../../pieces.ts'
import type { Received, Reply } from '../../upstream.ts'
import type { FormatId } from './meaning.ts'
import type { Scenario } from './scenarios/scenario.ts'

/** A vendor that answers a scenario in a format: as a stream if the request asks for one, otherwise whole. */
export function vendorOf(scenario: Scenario, format: FormatId): (request: Received) => Reply {
  const { body, stream } = scenario.answers[format]
  return (request) =>
    object(request.body)['stream'] === true || request.path.includes(':stream')
      ? { kind: 'stream', pieces: framesOf(stream) }
      : { kind: 'whole', body }
}
