import { Button } from '../../../components/button.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../../components/field.tsx'
import { LABELS } from '../../../labels.ts'
import { Fold } from '../panel-fold.tsx'
import type { ChatSettings, SentFormat } from './conversation.ts'
import type { ChatDraft, ChatDraftErrors } from './draft.ts'

const SAMPLE_TOOL = JSON.stringify(
  [
    {
      name: 'weather',
      description: 'Current weather at a location.',
      parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
    },
  ],
  null,
  2,
)
const SAMPLE_SCHEMA = JSON.stringify(
  {
    type: 'object',
    properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['title', 'tags'],
    additionalProperties: false,
  },
  null,
  2,
)

const FORMATS: readonly { readonly value: SentFormat; readonly title: string }[] = [
  { value: 'chat-completions', title: 'chat completions' },
  { value: 'responses', title: 'responses' },
  { value: 'messages', title: 'messages' },
  { value: 'generate-content', title: 'generateContent' },
]

/** Hints for fields that a format lacks. */
function lackOf({ format, seed, stop }: ChatDraft): string | undefined {
  if (format === 'responses' && (seed !== '' || stop !== '')) return 'This format has no seed and no stop sequences.'
  return format === 'messages' && seed !== '' ? 'This format has no seed.' : undefined
}

const EFFORTS = ['', 'none', 'minimal', 'low', 'medium', 'high'].map((value) => ({
  value,
  title: value === '' ? LABELS.modelDefault : value,
}))

export interface SettingsFormProps {
  readonly draft: ChatDraft
  readonly settings: ChatSettings
  readonly wrong: ChatDraftErrors
  onChange(change: Partial<ChatDraft>): void
}

/** Settings that apply to all models. */
export function SettingsForm(props: SettingsFormProps) {
  const { draft, settings, wrong, onChange } = props
  return (
    <div className="flex flex-col gap-2">
      <Fold title="System prompt" note={draft.system === '' ? LABELS.none : 'set'} isOpen>
        <TextArea
          label="System prompt"
          isLabelHidden
          rows={4}
          value={draft.system}
          onText={(system) => onChange({ system })}
        />
      </Fold>
      <ParameterFields {...props} />
      <ToolFields {...props} />
      <Fold title="Structured output" note={settings.schema ? 'set' : LABELS.none}>
        <JsonField
          label="Response schema"
          hint="JSON schema. Empty: plain text."
          value={draft.schema}
          error={wrong.schema}
          sample={SAMPLE_SCHEMA}
          onText={(schema) => onChange({ schema })}
        />
      </Fold>
    </div>
  )
}

const NUMBERS = [
  { field: 'maxTokens', label: 'Max output tokens', placeholder: 'default', inputMode: 'numeric' },
  { field: 'temperature', label: 'Temperature', placeholder: '0 to 2', inputMode: 'decimal' },
  { field: 'topP', label: 'Top p', placeholder: '0 to 1', inputMode: 'decimal' },
  { field: 'seed', label: 'Seed', placeholder: 'none', inputMode: 'numeric' },
] as const

function ParameterFields({ draft, settings, wrong, onChange }: SettingsFormProps) {
  const set = Object.values(settings.parameters).filter((one) => one !== undefined).length
  return (
    <Fold title="Parameters" note={set === 0 ? 'default' : `${set} set`}>
      <div className="grid grid-cols-2 gap-3">
        {NUMBERS.map(({ field, ...shown }) => (
          <TextField
            key={field}
            {...shown}
            value={draft[field]}
            error={wrong[field]}
            onText={(value) => onChange({ [field]: value })}
          />
        ))}
      </div>
      <SelectField
        label="Request format"
        hint={lackOf(draft)}
        choices={FORMATS}
        value={draft.format}
        onPick={(format) => onChange({ format })}
      />
      <SelectField
        label="Reasoning effort"
        choices={EFFORTS}
        value={draft.effort}
        onPick={(effort) => onChange({ effort })}
      />
      <TextArea
        label="Stop sequences"
        hint="One per line."
        rows={2}
        value={draft.stop}
        onText={(stop) => onChange({ stop })}
      />
      <CheckField label="Stream" checked={draft.streams} onCheck={(streams) => onChange({ streams })} />
      <CheckField
        label="Strict translation"
        hint="Refuses the request with status 400 instead of dropping fields (header headgate-strict)."
        checked={draft.isStrict}
        onCheck={(isStrict) => onChange({ isStrict })}
      />
    </Fold>
  )
}

function ToolFields({ draft, settings: { tools }, wrong, onChange }: SettingsFormProps) {
  const choices = [
    { value: '', title: LABELS.modelDefault },
    { value: 'auto', title: 'auto' },
    { value: 'none', title: 'none' },
    { value: 'required', title: 'required' },
    ...tools.map(({ name }) => ({ value: `tool:${name}`, title: name })),
  ]
  return (
    <Fold title={LABELS.tools} note={tools.length === 0 ? LABELS.none : String(tools.length)}>
      <JsonField
        label={LABELS.tools}
        hint="JSON list with name, description and parameters (JSON schema)."
        value={draft.tools}
        error={wrong.tools}
        sample={SAMPLE_TOOL}
        onText={(text) => onChange({ tools: text })}
      />
      {tools.length > 0 && (
        <SelectField
          label="Tool choice"
          choices={choices}
          value={choices.some(({ value }) => value === draft.toolChoice) ? draft.toolChoice : ''}
          onPick={(toolChoice) => onChange({ toolChoice })}
        />
      )}
    </Fold>
  )
}

interface JsonFieldProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly error: string | undefined
  /** Example for an empty field. */
  readonly sample: string
  onText(text: string): void
}

function JsonField({ sample, onText, ...field }: JsonFieldProps) {
  return (
    <>
      <TextArea {...field} rows={8} spellCheck={false} className="font-mono text-small!" onText={onText} />
      {field.value === '' && (
        <Button look="quiet" className="self-start" onClick={() => onText(sample)}>
          Insert example
        </Button>
      )}
    </>
  )
}
