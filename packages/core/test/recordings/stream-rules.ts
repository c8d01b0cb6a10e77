import { isObject } from '../../src/canonical/json.ts'
import { ANSWER_RULES, sealed } from './answer-rules.ts'
import { valueAt } from './leaves.ts'
import type { FormatId } from './recordings.ts'
import type { Rule, Test } from './silent.ts'

const always: Test = () => true
/** Zeros and no say nothing. */
const nothing: Test = ({ value }) =>
  value === 0 || value === false || (isObject(value) && Object.keys(value).length === 0)

/** The signature of the provider's own tool goes where that goes, and the loss is of both. */
const isHosted: Test = ({ path }, _, frame) => {
  const part = valueAt(frame, path.replace(/\.\w+$/, ''))
  return (
    isObject(part) && ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'].some((key) => key in part)
  )
}

/**
 * The frames of a stream, beside what is also a field of a whole answer: what `meaning.ts` reads, and what only frames
 * it.
 */
export const STREAM_RULES: Readonly<Record<FormatId, readonly Rule[]>> = {
  'chat-completions': [
    [/^obfuscation$/, always],
    // Some servers give each chunk an id of its own: the first counts.
    [/^id$/, always],
    [/^choices\[\*\]\.delta$/, always],
    [/^choices\[\*\]\.(delta|message)\.(content|refusal|reasoning|reasoning_content)$/, always],
    [
      /^choices\[\*\]\.(delta|message)\.tool_calls\[\*\]\.(index|type|function\.(name|arguments)|custom\.(name|input))$/,
      always,
    ],
    [/^choices\[\*\]\.(delta|message)\.function_call\./, always],
    ...ANSWER_RULES['chat-completions'].map(inDelta),
  ],
  messages: [
    [/^(type|index|delta\.type)$/, always],
    // How far the thinking is; usage has the count.
    [/^delta\.estimated_tokens$/, always],
    [/^delta\.(text|thinking|partial_json)$/, always],
    [/^content_block\.(text|thinking)$/, always],
    [/^content_block\.input$/, nothing],
    [/^delta\.stop_reason$/, always],
    ...ANSWER_RULES.messages.map(inEvent),
  ],
  'generate-content': [
    [/^candidates\[\*\]\.content\.parts\[\*\]\.text$/, always],
    [
      /^candidates\[\*\]\.content\.parts\[\*\]\.functionCall(\.willContinue|\.partialArgs\[\*\]\.(willContinue|jsonPath))?$/,
      always,
    ],
    [/\.thoughtSignature$/, (leaf, ...rest) => sealed(leaf, ...rest) || isHosted(leaf, ...rest)],
    ...ANSWER_RULES['generate-content'],
  ],
  responses: [
    [
      /^(type|sequence_number|item_id|output_index|content_index|summary_index|annotation_index|command_index|obfuscation)$/,
      always,
    ],
    // The pieces, and what they amount to, are compared as a whole.
    [/^(delta|text|refusal|arguments|input|name)$/, always],
    [/^(part|annotation)(\.|$)/, always],
    [/^logprobs\[\*\]/, always],
    // What an image looks like while it is made.
    [/^(partial_image_index|partial_image_b64|size|quality|background|output_format)$/, always],
    [/^(item|response\.output\[\*\])\.(arguments|input|(content|summary)\[\*\]\.(text|refusal))$/, always],
    // The item as it begins, and encrypted content that is not whole yet.
    [/^item\.status$/, always],
    [
      /^item\.encrypted_content$/,
      (leaf, sent, frame) => frame['type'] !== 'response.output_item.done' || sealed(leaf, sent, frame),
    ],
    // The answer repeats what its items were; it is encrypted anew each time.
    [/^response\.output\[\*\]\.encrypted_content$/, always],
    ...ANSWER_RULES.responses.map(inResponse),
  ],
}

/** The rule of a field of the answer as that of the event that has it. */
function inResponse([pattern, test]: Rule): Rule {
  const source = pattern.source
  const output = '^output\\[\\*\\]\\.'
  if (source.startsWith(output))
    return [new RegExp(`^(?:item|response\\.output\\[\\*\\])\\.${source.slice(output.length)}`), test]
  return [new RegExp(`^response\\.${source.slice(1)}`), test]
}

/** The rule of a message's field as that of a delta's. */
function inDelta([pattern, test]: Rule): Rule {
  return [new RegExp(pattern.source.replace('\\.message\\.', '\\.(?:message|delta)\\.')), test]
}

/** The rule of a field of the answer as that of the event that has it. */
function inEvent([pattern, test]: Rule): Rule {
  const source = pattern.source
  const content = '^content\\[\\*\\]\\.'
  if (source.startsWith(content))
    return [new RegExp(`^(?:content_block|delta)\\.${source.slice(content.length)}`), test]
  return [new RegExp(`^(?:message\\.|delta\\.)?${source.slice(1)}`), test]
}
