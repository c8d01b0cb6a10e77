import { isObject, type Json, objects } from '../../src/canonical/json.ts'
import { hasPair, hasText, isCarried, type Sent } from './carried.ts'
import { type Leaf, valueAt } from './leaves.ts'
import type { FormatId } from './recordings.ts'
import type { Rule, Test } from './silent.ts'

const always: Test = () => true
/** A word that only says what stands beside it, which is looked for itself. */
const word =
  (...words: string[]): Test =>
  ({ value }) =>
    words.includes(String(value))
const either =
  (...tests: Test[]): Test =>
  (leaf, sent, request) =>
    tests.some((test) => test(leaf, sent, request))
/** What a vendor does when the field is not there. */
const usual =
  (...values: unknown[]): Test =>
  ({ value }) =>
    values.includes(value)

/** What a body says about which tools the model may call. */
function choiceOf({ body, format }: Sent): string {
  const choice = body['tool_choice']
  if (format === 'chat-completions' || format === 'responses')
    return typeof choice === 'string' ? choice : isObject(choice) ? String(choice['type']) : 'auto'
  if (format === 'messages') return isObject(choice) ? String(choice['type']) : 'auto'
  const config = isObject(body['toolConfig']) ? body['toolConfig']['functionCallingConfig'] : undefined
  return isObject(config) ? String(config['mode']).toLowerCase() : 'auto'
}

const SAME_CHOICE: Readonly<Record<string, RegExp>> = {
  auto: /^(auto|validated)$/,
  none: /^none$/,
  required: /^(required|any)$/,
  any: /^(required|any)$/,
  tool: /^(function|tool|any)$/,
  function: /^(function|tool|any)$/,
  validated: /^(auto|validated)$/,
}

/** The types of items and parts of the responses format whose content is looked for itself. */
const kind = word(
  ...['message', 'input_text', 'output_text', 'input_image', 'input_file', 'refusal', 'summary_text', 'reasoning_text'],
  ...['reasoning', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
)

/** The name of a tool, or of the namespace with which its name begins elsewhere. */
const namespaced: Test = ({ value }, sent) => hasText(sent, String(value))

const chosen: Test = (leaf, sent, request) =>
  ['function', 'custom', 'allowed_tools'].includes(String(leaf.value))
    ? /^(function|tool|any|auto|validated|required|allowed_tools)$/.test(choiceOf(sent))
    : choiceOf(sent) === 'allowed_tools' || toolChoice(leaf, sent, request)

const toolChoice: Test = ({ value }, sent, request) => {
  const isNamed = JSON.stringify(request).includes('"allowedFunctionNames"') && value !== 'VALIDATED'
  const due = isNamed ? /^(function|tool|any|required|allowed_tools)$/ : SAME_CHOICE[String(value).toLowerCase()]
  return due?.test(choiceOf(sent)) ?? false
}

/** Whether the body says how much the model shall think. */
const reasoning: Test = (_, { body }) => {
  const config = isObject(body['generationConfig']) ? body['generationConfig'] : {}
  const output = isObject(body['output_config']) ? body['output_config'] : {}
  return Boolean(
    body['reasoning_effort'] ?? body['reasoning'] ?? body['thinking'] ?? output['effort'] ?? config['thinkingConfig'],
  )
}

/** The likelihood of tokens, which in the responses format is asked for as a part of the answer. */
const logprobs: Test = (_, sent) => hasText(sent, 'message.output_text.logprobs')

/** Whether the body says that the answer must be JSON, or has a tool that takes it. */
const json: Test = (_, { body }) => {
  const config = isObject(body['generationConfig']) ? body['generationConfig'] : {}
  const output = isObject(body['output_config']) ? body['output_config'] : {}
  const isTaken = objects(body['tools']).some((tool) => tool['name'] === 'json')
  const text = isObject(body['text']) ? body['text'] : {}
  return (
    isTaken ||
    Boolean(
      body['response_format'] ??
        text['format'] ??
        output['format'] ??
        config['responseMimeType'] === 'application/json',
    )
  )
}

/** A web search that the provider runs. */
const webSearch: Test = (_, { body }) =>
  body['web_search_options'] !== undefined ||
  objects(body['tools']).some((tool) => 'googleSearch' in tool || /^web_search/.test(String(tool['type'])))

/**
 * Calls are strict where the tool says so, or Gemini's mode: it holds calls that it demands to their schema. What is
 * not called need not be.
 */
const strict: Test = ({ value }, sent) =>
  value === false || hasPair(sent, 'strict', true) || /^(validated|any|none)$/.test(choiceOf(sent))

/**
 * The media type of what is sent by its address is not told everywhere; sounds go by the name of their file type in
 * chat.
 */
const mime: Test = ({ value, path }, sent, request) => {
  if (hasText(sent, String(value))) return true
  const sound = /^audio\/(?:x-)?(\w+)$/.exec(String(value))?.[1]
  if (sound) return hasPair(sent, 'format', sound === 'mpeg' ? 'mp3' : sound)
  return /file_?data/i.test(path) || isTextDocument(path, request)
}

function isTextDocument(path: string, request: Json): boolean {
  const media = valueAt(request, path.replace(/\.[^.]+$/, ''))
  return isObject(media) && /^text\//.test(String(media['mimeType'] ?? media['mime_type'] ?? media['media_type']))
}

/**
 * Base64 in the standard alphabet, whatever the caller's was. A text document may come as text and go as base64, or the
 * other way round.
 */
const base64: Test = (leaf, sent) => {
  const text = String(leaf.value)
  const forms = [text, text.replaceAll('-', '+').replaceAll('_', '/'), Buffer.from(text).toString('base64')]
  return forms.some((value) => isCarried({ ...leaf, value }, sent))
}

/** Results that are numbers or words of JSON stand as text where results are texts. */
const result: Test = (leaf, sent) => isCarried(leaf, sent) || hasText(sent, JSON.stringify(leaf.value)) || isEmpty(leaf)

function isEmpty({ value }: Leaf): boolean {
  return isObject(value)
}

const TYPES = ['TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']

/** A schema says which dialect it is in, and its types in several spellings; one without properties can be left out. */
const schema =
  (root: RegExp): Test =>
  (leaf, sent, request) => {
    if (leaf.key === '$schema' || isCarried(leaf, sent)) return true
    if (leaf.key === 'type' && typeof leaf.value === 'number') return hasPair(sent, 'type', TYPES[leaf.value])
    const whole = valueAt(request, root.exec(leaf.path)?.[0] ?? '')
    return isObject(whole) && (!isObject(whole['properties']) || Object.keys(whole['properties']).length === 0)
  }

const empty: Test = (leaf) => isEmpty(leaf)
/** Whether thoughts are shown; they are not, unless asked for. */
const hidden: Test = (_, sent) =>
  !hasPair(sent, 'include_thoughts', true) &&
  !hasPair(sent, 'display', 'summarized') &&
  !hasPair(sent, 'summary', 'auto')
const arguments_: Test = (leaf, sent) => isCarried(leaf, sent) || /^\s*\{\s*\}\s*$/.test(String(leaf.value))

/** The cache mark in one spelling beside the same in another, which is the one that counts. */
const isSecondMark: Test = ({ path }, _, request) =>
  valueAt(request, path.replace('prompt_cache_breakpoint.mode', 'cache_control')) !== undefined

const ANSWER_SCHEMA = /^generationConfig\.response\w+/
const GEMINI_PARAMETERS = /^tools\[\d+\]\.\w+\[\d+\]\.parameters\w*/

/** Whether the reasoning is sent that a detail belongs to. */
function isTold(path: string, sent: Sent, request: Json): boolean {
  const text = valueAt(request, path.replace(/\w+$/, 'text'))
  return typeof text === 'string' && hasText(sent, text)
}

/** The tools that the caller does not allow are left out where the model can not be told otherwise. */
const forbidden: Test = ({ path }, _, request) => {
  const declaration = valueAt(request, /^tools\[\d+\]\.\w+\[\d+\]/.exec(path)?.[0] ?? '')
  const config = isObject(request['toolConfig']) ? request['toolConfig']['functionCallingConfig'] : undefined
  const allowed = isObject(config) ? config['allowedFunctionNames'] : undefined
  return Array.isArray(allowed) && isObject(declaration) && !allowed.includes(declaration['name'])
}

/** The same, in the responses format. */
const isUnlisted: Test = ({ path }, _, request) => {
  const choice = request['tool_choice']
  const tool = valueAt(request, /^tools\[\d+\]/.exec(path)?.[0] ?? '')
  if (!isObject(choice) || choice['type'] !== 'allowed_tools' || !isObject(tool)) return false
  return !objects(choice['tools']).some(({ name }) => name === tool['name'])
}

/** Fields that say one thing together: a loss names the first of them. */
export const TOGETHER: Readonly<Record<FormatId, readonly (readonly [string, string])[]>> = {
  'chat-completions': [['logprobs', 'top_logprobs']],
  messages: [['thinking', 'output_config.effort']],
  'generate-content': [['generationConfig.responseLogprobs', 'generationConfig.logprobs']],
  responses: [['top_logprobs', 'include']],
}

export const REQUEST_RULES: Readonly<Record<FormatId, readonly Rule[]>> = {
  'chat-completions': [
    [/^model$/, always],
    [/^stream$/, ({ value }, { body, format }) => format === 'generate-content' || (body['stream'] ?? false) === value],
    [/^stream_options\./, always],
    [/^messages\[\*\]\.role$/, word('system', 'developer', 'user', 'assistant', 'tool', 'function')],
    [/^messages\[\*\]\.content\[\*\]\.type$/, word('text', 'image_url', 'file', 'input_audio', 'refusal')],
    [/^messages\[\*\]\.content\[\*\]\.image_url\.detail$/, either(usual('auto'), isCarried)],
    [
      /^messages\[\*\]\.content\[\*\]\.input_audio\.format$/,
      ({ value }, sent) => hasText(sent, value === 'mp3' ? 'audio/mp' : `audio/${value}`),
    ],
    [
      /^messages\[\*\]\.content\[\*\]\.prompt_cache_breakpoint\.mode$/,
      either((_, sent) => hasPair(sent, 'type', 'ephemeral'), isSecondMark),
    ],
    [
      /^messages\[\*\]\.reasoning$/,
      either(isCarried, (leaf, _, request) => valueAt(request, `${leaf.path}_content`) === leaf.value),
    ],
    [
      /^messages\[\*\]\.reasoning_details\[\*\]\.(type|format|index)$/,
      (leaf, sent, request) => isTold(leaf.path, sent, request),
    ],
    [/^messages\[\*\]\.tool_calls\[\*\]\.index$/, always],
    [/^messages\[\*\]\.tool_calls\[\*\]\.type$/, word('function', 'custom')],
    [/^messages\[\*\]\.tool_calls\[\*\]\.function\.arguments$/, arguments_],
    [/^tools\[\*\]\.type$/, word('function', 'custom')],
    [/^tools\[\*\]\.function\.strict$/, strict],
    [
      /^(tools\[\*\]\.function|functions\[\*\])\.parameters/,
      schema(/^(tools\[\d+\]\.function|functions\[\d+\])\.parameters/),
    ],
    [/^(tool_choice|function_call)(\.type)?$/, toolChoice],
    [/^response_format\.type$/, either(usual('text'), json)],
    [/^response_format\.json_schema\.strict$/, always],
    [/^response_format\.json_schema\.name$/, always],
    [
      /^parallel_tool_calls$/,
      either(isCarried, ({ value }, sent) => hasPair(sent, 'disable_parallel_tool_use', !value)),
    ],
    [/^reasoning_effort$/, reasoning],
    [/^(n|temperature|top_p)$/, either(usual(1), isCarried)],
    [/^(presence|frequency)_penalty$/, either(usual(0), isCarried)],
    [/^logprobs$/, either(usual(false), isCarried, logprobs)],
    [/^modalities\[\*\]$/, usual('text')],
    [/^service_tier$/, usual('default', 'auto')],
    [/^web_search_options(\.user_location\.type)?$/, webSearch],
  ],
  messages: [
    [/^model$/, always],
    [/^stream$/, ({ value }, { body, format }) => format === 'generate-content' || (body['stream'] ?? false) === value],
    [/^messages\[\*\]\.role$/, word('user', 'assistant', 'system')],
    [
      /^(system|messages)\[\*\](\.content\[\*\])*\.type$/,
      word('text', 'image', 'document', 'thinking', 'tool_use', 'tool_result'),
    ],
    [/\.source\.type$/, word('base64', 'url', 'text')],
    [/\.source\.media_type$/, mime],
    [/\.source\.data$/, base64],
    [/\.is_error$/, ({ value }, sent) => value === false || /error/i.test(sent.text)],
    [/^messages\[\*\]\.content\[\*\]\.input(\.|$)/, result],
    [
      /^tools\[\*\]\.(type|name)$/,
      either(
        usual('custom'),
        isCarried,
        (leaf, ...rest) => /^web_search/.test(String(leaf.value)) && webSearch(leaf, ...rest),
      ),
    ],
    [/^tools\[\*\]\.user_location\.type$/, webSearch],
    [/^tools\[\*\]\.strict$/, strict],
    [/^tools\[\*\]\.input_schema/, schema(/^tools\[\d+\]\.input_schema/)],
    [/^tool_choice\.type$/, toolChoice],
    [/^tool_choice\.disable_parallel_tool_use$/, ({ value }, sent) => hasPair(sent, 'parallel_tool_calls', !value)],
    [/^temperature$/, either(usual(1), isCarried)],
    [/^(output_config\.format|output_format)\.type$/, json],
    [/^thinking\.type$/, either(usual('adaptive'), reasoning)],
    [/^(thinking\.budget_tokens|output_config\.effort)$/, reasoning],
    [
      /^thinking\.display$/,
      ({ value }, ...rest) => (value === 'omitted') === hidden({ path: '', key: '', value }, ...rest),
    ],
    [/^service_tier$/, usual('auto', 'standard_only')],
  ],
  'generate-content': [
    [/^model$/, always],
    [/\.role$/, word('user', 'model', 'system')],
    [/^generationConfig$/, empty],
    [/^generationConfig\.responseModalities\[\*\]$/, usual('TEXT')],
    [/^generationConfig\.response_?mime_?type$/i, either(usual('text/plain'), json)],
    [/^generationConfig\.responseLogprobs$/, either(isCarried, logprobs)],
    [ANSWER_SCHEMA, schema(ANSWER_SCHEMA)],
    [/thinking_?(budget|level)$/i, reasoning],
    [
      /include_?thoughts$/i,
      either(
        usual(false),
        (leaf, sent, request) => /^(messages|responses)$/.test(sent.format) && reasoning(leaf, sent, request),
      ),
    ],
    [/^generationConfig\.candidateCount$/, either(usual(1), isCarried)],
    [/functionCallingConfig\.mode$/, toolChoice],
    [/^tools\[\*\]\.google_?search$/i, webSearch],
    [
      /^tools\[\*\]\.code_?execution$/i,
      (_, { body }) => objects(body['tools']).some(({ type }) => type === 'code_interpreter'),
    ],
    [/^tools\[\*\]\.\w+\[\*\]\.parameters/, either(schema(GEMINI_PARAMETERS), forbidden)],
    [/^tools\[\*\]\.\w+\[\*\]\./, either(isCarried, forbidden)],
    [/mime_?type$/i, mime],
    [/inline_?data\.data$/i, base64],
    [/function_?(call\.args|response\.response)(\.|$)/i, result],
  ],
  responses: [
    [/^model$/, always],
    [/^stream$/, ({ value }, { body, format }) => format === 'generate-content' || (body['stream'] ?? false) === value],
    [/^input\[\*\]\.role$/, word('system', 'developer', 'user', 'assistant')],
    [/^input\[\*\](\.(content|output|summary)\[\*\])?\.type$/, kind],
    // Ids and states of items in the vendor's own store.
    [/^input\[\*\]\.id$/, always],
    [
      /^input\[\*\]\.(content|output)\[\*\]\.file_data$/,
      either(isCarried, ({ value }, sent) => hasText(sent, String(value).slice(String(value).indexOf(',') + 1))),
    ],
    [/^input\[\*\]\.status$/, usual('completed')],
    [
      /^input\[\*\]\.call_id$/,
      either(
        isCarried,
        ({ value }, sent) => hasText(sent, String(value).replace(/[^\w-]/g, '_')),
        ({ value }) => String(value).length > 40,
      ),
    ],
    [/prompt_cache_breakpoint\.mode$/, (_, sent) => hasPair(sent, 'type', 'ephemeral')],
    [/^input\[\*\]\.(content|output)\[\*\]\.detail$/, either(usual('auto'), isCarried)],
    [/^input\[\*\]\.content\[\*\]\.annotations/, isCarried],
    [/^input\[\*\]\.(namespace|name)$/, namespaced],
    [/^input\[\*\]\.(arguments|input)$/, arguments_],
    [/^tools\[\*\](\.tools\[\*\])?\.type$/, either(word('function', 'custom', 'namespace'), webSearch)],
    [/^tools\[\*\](\.tools\[\*\])?\.name$/, either(namespaced, isUnlisted)],
    [/^tools\[\*\]\.description$/, either(isCarried, isUnlisted)],
    [/^tools\[\*\](\.tools\[\*\])?\.strict$/, strict],
    [
      /^tools\[\*\](\.tools\[\*\])?\.parameters/,
      either(isUnlisted, schema(/^tools\[\d+\](\.tools\[\d+\])?\.parameters/)),
    ],
    [/^tools\[\*\]\.user_location\.type$/, webSearch],
    [/^tool_choice(\.(type|mode|tools\[\*\]\.type))?$/, chosen],
    [/^text\.format\.type$/, either(usual('text'), json)],
    [/^text\.format\.(strict|name)$/, always],
    [
      /^parallel_tool_calls$/,
      ({ value }, sent) =>
        value === true ||
        hasPair(sent, 'disable_parallel_tool_use', !value) ||
        isCarried({ path: '', key: 'parallel_tool_calls', value }, sent),
    ],
    [/^reasoning\.effort$/, reasoning],
    [/^reasoning\.summary$/, either(usual('none'), reasoning)],
    // Encrypted reasoning comes along unasked, and so does the likelihood of tokens.
    [
      /^include\[\*\]$/,
      either(
        usual('reasoning.encrypted_content'),
        ({ value }, sent) => value === 'message.output_text.logprobs' && hasPair(sent, 'logprobs', true),
      ),
    ],
    [/^(temperature|top_p)$/, either(usual(1), isCarried)],
    [/^top_logprobs$/, either(usual(0), isCarried)],
    [/^truncation$/, usual('disabled')],
    [/^service_tier$/, either(usual('default', 'auto'), isCarried)],
  ],
}
