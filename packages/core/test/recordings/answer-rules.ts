import { isObject } from '../../src/canonical/json.ts'
import { tierOf } from '../../src/canonical/usage.ts'
import { hasPair, hasText, isCarried } from './carried.ts'
import { valueAt } from './leaves.ts'
import type { FormatId } from './recordings.ts'
import type { Rule, Test } from './silent.ts'

const always: Test = () => true
/** Zeros and no say nothing. */
const nothing: Test = ({ value }) =>
  value === 0 || value === false || (isObject(value) && Object.keys(value).length === 0)
const carried: Test = (leaf, sent) => isCarried(leaf, sent)
const either =
  (...tests: Test[]): Test =>
  (leaf, sent, answer) =>
    tests.some((test) => test(leaf, sent, answer))

/** Vendors have several words for the usual tier, which the answer then names with that of its format. */
const isUsualTier: Test = ({ value }) => tierOf(value) === undefined

/** Signatures go to callers of other formats in an envelope, some with the id of their item. */
export const sealed: Test = ({ value }, sent) =>
  hasText(sent, String(value)) ||
  hasText(sent, Buffer.from(String(value)).toString('base64url')) ||
  [...sent.text.matchAll(/hg1\.[\w-]+\.([\w-]+)/g)].some(([, inner = '']) =>
    Buffer.from(inner, 'base64url')
      .toString('utf8')
      .endsWith(`:${String(value)}`),
  )

/** A detail of reasoning whose text, or signature, is told. */
const detail: Test = (leaf, sent, answer) =>
  ['text', 'summary', 'data', 'signature'].some((key) => {
    const said = valueAt(answer, leaf.path.replace(/\w+$/, key))
    return typeof said === 'string' && sealed({ ...leaf, value: said }, sent, answer)
  })

const arguments_: Test = (leaf, sent) => isCarried(leaf, sent) || /^\s*(\{\s*\})?$/.test(String(leaf.value))

/** What `meaning.ts` reads and `answers.ts` compares, and what only says what stands beside it. */
export const ANSWER_RULES: Readonly<Record<FormatId, readonly Rule[]>> = {
  'chat-completions': [
    [/^service_tier$/, either(isUsualTier, carried)],
    [/^(object|created)$/, always],
    [/^choices\[\*\]\.(index|finish_reason)$/, always],
    [
      /^choices\[\*\]\.(message|delta)\.(role|content)$/,
      (leaf, sent) => leaf.key === 'role' || carried(leaf, sent, {}),
    ],
    [/^choices\[\*\]\.message\.content\[\*\]\.type$/, always],
    [/^choices\[\*\]\.message\.tool_calls\[\*\]\.(type|index)$/, always],
    [/^choices\[\*\]\.message\.tool_calls\[\*\]\.function\.arguments$/, arguments_],
    [/^choices\[\*\]\.message\.reasoning_details\[\*\]\.(type|format|index|id)$/, detail],
    [/^choices\[\*\]\.message\.reasoning_details\[\*\]\.(signature|data)$/, sealed],
    [/^choices\[\*\]\.message\.annotations\[\*\]\.type$/, always],
    [/^choices\[\*\]\.message\.annotations\[\*\]\.url_citation\.(start|end)_index$/, either(carried, nothing)],
    [/^choices\[\*\]\.logprobs\.content\[\*\](\.top_logprobs\[\*\])?\.(logprob|bytes\[\*\])$/, either(carried, always)],
    [
      /^usage\.(prompt_tokens|completion_tokens|total_tokens|prompt_cache_(hit|miss)_tokens|cached_tokens|num_cached_tokens)$/,
      always,
    ],
    [/^usage\.prompt_tokens?_details\.(cached_tokens|cache_write_tokens)$/, always],
    [/^usage\.completion_tokens?_details\.reasoning_tokens$/, always],
    [
      /^usage\..*\.(audio|image)_tokens$/,
      either(nothing, ({ value }, sent) => hasPair(sent, 'tokenCount', value), carried),
    ],
    [/^usage\./, either(carried, nothing)],
  ],
  messages: [
    [/^(type|role)$/, always],
    [/^stop_reason$/, always],
    [/^content\[\*\]\.type$/, always],
    [/^content\[\*\]\.(signature|data)$/, sealed],
    [/^content\[\*\]\.input$/, nothing],
    [/^usage\.(input_tokens|output_tokens|cache_read_input_tokens|cache_creation_input_tokens)$/, always],
    [/^usage\.cache_creation\.ephemeral_5m_input_tokens$/, always],
    [/^usage\.output_tokens_details\.thinking_tokens$/, always],
    [
      /^usage\.(service_tier|inference_geo|speed)$/,
      ({ value }) => ['standard', 'not_available'].includes(String(value)),
    ],
    [/^usage\./, either(carried, nothing)],
  ],
  'generate-content': [
    [/^usageMetadata\.serviceTier$/, either(isUsualTier, carried)],
    // The item of a code interpreter is code of Python, and its status is the outcome.
    [
      /\.(executableCode\.language|codeExecutionResult\.outcome)$/,
      either((_, sent) => hasText(sent, 'code_interpreter_call'), carried),
    ],
    [/^createTime$/, always],
    [/^candidates\[\*\]\.(index|finishReason|content\.role)$/, always],
    [/^candidates\[\*\]\.content\.parts\[\*\]\.thoughtSignature$/, sealed],
    [/^candidates\[\*\]\.content\.parts\[\*\]\.thought$/, always],
    [/^candidates\[\*\]\.content\.parts\[\*\]\.functionCall\.args$/, nothing],
    // Numbers of tokens in the vendor's own vocabulary mean nothing elsewhere.
    [/\.(logProbability|tokenId)$/, always],
    [
      /^usageMetadata\.(promptTokenCount|candidatesTokenCount|thoughtsTokenCount|totalTokenCount|cachedContentTokenCount)$/,
      always,
    ],
    [/^usageMetadata\.toolUsePrompt/, always],
    [/^usageMetadata\./, either(carried, nothing)],
  ],
  responses: [
    [/^service_tier$/, either(isUsualTier, carried)],
    [/^(object|created_at|completed_at|status|output_text|background)$/, always],
    // What repeats the request.
    [
      /^(conversation|frequency_penalty|include|instructions|max_output_tokens|max_tool_calls|metadata|parallel_tool_calls)(\.|\[|$)/,
      always,
    ],
    [
      /^(presence_penalty|previous_response_id|prompt|prompt_cache_key|prompt_cache_options|prompt_cache_retention)(\.|\[|$)/,
      always,
    ],
    [
      /^(reasoning|safety_identifier|store|temperature|text|tool_choice|tools|top_logprobs|top_p|truncation|user)(\.|\[|$)/,
      always,
    ],
    [/^incomplete_details\.reason$/, always],
    // Ids and states of items in the vendor's own store.
    [/^output\[\*\]\.id$/, always],
    [/^output\[\*\]\.(type|role)$/, always],
    [/^output\[\*\]\.status$/, always],
    [/^output\[\*\]\.(content|summary)\[\*\]\.type$/, always],
    [/^output\[\*\]\.summary\[\*\]\.text$/, carried],
    [/^output\[\*\]\.encrypted_content$/, sealed],
    [/^output\[\*\]\.(arguments|input)$/, arguments_],
    [/^output\[\*\]\.(namespace|name)$/, ({ value }, sent) => hasText(sent, String(value))],
    [/^output\[\*\]\.output_format$/, ({ value }, sent) => hasText(sent, `image/${String(value)}`)],
    [/^output\[\*\]\.content\[\*\]\.annotations\[\*\]\.type$/, always],
    // Google counts in bytes.
    [
      /^output\[\*\]\.content\[\*\]\.annotations\[\*\]\.(start|end)_index$/,
      either(carried, nothing, (_, { format }) => format === 'generate-content'),
    ],
    [
      /^output\[\*\]\.content\[\*\]\.logprobs\[\*\](\.top_logprobs\[\*\])?\.(logprob|bytes\[\*\])$/,
      either(carried, always),
    ],
    [/^usage\.(input_tokens|output_tokens|total_tokens)$/, always],
    [/^usage\.input_tokens_details\.(cached_tokens|cache_write_tokens)$/, always],
    [/^usage\.output_tokens_details\.reasoning_tokens$/, always],
    [/^usage\./, either(carried, nothing)],
  ],
}
