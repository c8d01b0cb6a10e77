import type { KitFormat } from '../meaning.ts'
import { completionOfText } from './chat-completions.ts'
import { generatedText } from './generate-content.ts'
import { messageOfText } from './messages.ts'
import { responseOfText } from './responses.ts'
import type { ScenarioResponse } from './scenario.ts'
import type { Count } from './tokens.ts'

/** Text answer in every vendor's format, split into the same pieces. */
export function answersOfText(pieces: readonly string[], count: Count): Record<KitFormat, ScenarioResponse> {
  return {
    'chat-completions': completionOfText(pieces, count),
    messages: messageOfText(pieces, count),
    'generate-content': generatedText(pieces, count),
    responses: responseOfText(pieces, count),
  }
}
