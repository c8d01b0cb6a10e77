import type { FormatId } from '../recordings/recordings.ts'

type Test = (value: unknown, to: FormatId) => boolean

const is =
  (...values: unknown[]): Test =>
  (value) =>
    values.includes(value)
const toFormat =
  (...formats: FormatId[]): Test =>
  (_, to) =>
    formats.includes(to)

/** Fields, by folded path, whose absence means the same, or that say only what the rest of the request says. */
export const IMPLIED: readonly (readonly [RegExp, ...Test[]])[] = [
  // The run names the model of the provider.
  [/^model$/],
  // The path says it in generateContent. Usage is always requested; padding protects only the vendor's own stream.
  [/^stream$/, toFormat('generate-content')],
  [/^stream_options(\.include_(usage|obfuscation))?$/],
  // The only kind that exists, or the kind of what is named next to it.
  [/user_location\.type$/],
  [/^messages\[\*\]\.tool_calls\[\*\]\.type$/],
  [/^tools\[\*\](\.tools\[\*\])?\.type$/, is('function', 'custom')],
  [/\.source\.media_type$/, is('text/plain')],
  [/^input\[\*\](\.(summary|content)\[\*\])?\.type$/],
  [/^tool_choice\.(allowed_tools\.)?tools\[\*\]\.type$/],
  // Names of the schema of the answer are labels, which only two formats have.
  [/^(response_format\.json_schema|text\.format)\.name$/],
  // Other vendors always hold the answer to its schema.
  [/^(response_format\.json_schema|text\.format)\.strict$/],
  [/^(contents\[\*\]|systemInstruction)\.role$/],
  [/^generationConfig\.candidateCount$/, is(1)],
  [/^toolConfig\.functionCallingConfig\.mode$/, is('AUTO', 'MODE_UNSPECIFIED')],
  [/^tool_choice(\.type)?$/, is('auto', 'function', 'custom')],
  [/^generationConfig\.thinkingConfig\.thinkingLevel$/, is('THINKING_LEVEL_UNSPECIFIED')],
  [/^generationConfig\.responseModalities\[\*\]$/, is('TEXT')],
  [/^modalities\[\*\]$/, is('text')],
  // The only mode, and free text without a grammar.
  [/prompt_cache_breakpoint\.mode$/, is('explicit')],
  [/^tools\[\*\](\.tools\[\*\]|\.custom)?\.format\.type$/, is('text')],
  // Calls that it demands always match their schema there.
  [/^tools\[\*\](\.function|\.tools\[\*\])?\.strict$/, toFormat('generate-content')],
  // Names that hosted tools must have.
  [
    /^tools\[\*\]\.name$/,
    is('web_search', 'web_fetch', 'bash', 'memory', 'code_execution', 'computer', 'str_replace_editor'),
  ],
  [
    /^tools\[\*\]\.name$/,
    is('str_replace_based_edit_tool', 'advisor', 'tool_search_tool_regex', 'tool_search_tool_bm25'),
  ],
  // Of a turn whose blocks are all declared as lost.
  [/^messages\[\*\]\.role$/, is('user', 'assistant')],
  // It is matched with its call by position where they differ.
  [/^contents\[\*\]\.parts\[\*\]\.functionResponse\.(id|name)$/],
  // Objects without fields.
  [/^tools\[\*\](\.filters)?$/],
  // Of a message without content.
  [/^input\[\*\]\.role$/, is('system', 'developer')],
  // Items under which OpenAI stores them.
  [/^input\[\*\]\.id$/],
]
