import { Button } from '../../../components/button.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../../components/field.tsx'
import { Fold } from '../fold.tsx'
import type { AskedFormat, Settings } from './conversation.ts'
import type { Draft, Wrong } from './draft.ts'

const SAMPLE_TOOL = JSON.stringify(
  [
    {
      name: 'weather',
      description: 'The weather of a place.',
      parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
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

const FORMATS: readonly { readonly value: AskedFormat; readonly title: string }[] = [
  { value: 'chat-completions', title: 'chat completions' },
  { value: 'responses', title: 'responses' },
]

const EFFORTS = ['', 'none', 'minimal', 'low', 'medium', 'high'].map((value) => ({
  value,
  title: value === '' ? 'As the model has it' : value,
}))

export interface SettingsFormProps {
  readonly draft: Draft
  readonly settings: Settings
  readonly wrong: Wrong
  onChange(change: Partial<Draft>): void
}

/** What all models are asked alike. */
export function SettingsForm({ draft, settings, wrong, onChange }: SettingsFormProps) {
  const text = (
    field: 'maxTokens' | 'temperature' | 'topP' | 'seed',
    label: string,
    placeholder: string,
    mode: 'numeric' | 'decimal',
  ) => (
    <TextField
      {...{ label, placeholder, inputMode: mode, value: draft[field], error: wrong[field] }}
      onChange={({ target }) => onChange({ [field]: target.value })}
    />
  )
  const set = Object.values(settings.parameters).filter((one) => one !== undefined).length
  const choices = [
    { value: '', title: 'As the model has it' },
    { value: 'auto', title: 'auto' },
    { value: 'none', title: 'none' },
    { value: 'required', title: 'required' },
    ...settings.tools.map(({ name }) => ({ value: `tool:${name}`, title: name })),
  ]
  return (
    <div className="flex flex-col gap-2">
      <Fold title="System prompt" note={draft.system === '' ? 'none' : 'set'} isOpen>
        <TextArea
          label="System prompt"
          isLabelHidden
          rows={4}
          value={draft.system}
          onChange={({ target }) => onChange({ system: target.value })}
        />
      </Fold>
      <Fold title="Parameters" note={set === 0 ? 'usual' : `${set} set`}>
        <div className="grid grid-cols-2 gap-3">
          {text('maxTokens', 'Most output tokens', 'as the model', 'numeric')}
          {text('temperature', 'Temperature', '0 to 2', 'decimal')}
          {text('topP', 'Top p', '0 to 1', 'decimal')}
          {text('seed', 'Seed', 'none', 'numeric')}
        </div>
        <SelectField
          label="Asked as"
          {...(draft.format === 'responses' &&
            (draft.seed !== '' || draft.stop !== '') && { hint: 'It has no seed and no stop sequences.' })}
          choices={FORMATS}
          value={draft.format}
          onChange={({ target }) =>
            onChange({ format: FORMATS.find(({ value }) => value === target.value)?.value ?? 'chat-completions' })
          }
        />
        <SelectField
          label="Reasoning effort"
          choices={EFFORTS}
          value={draft.effort}
          onChange={({ target }) => onChange({ effort: target.value })}
        />
        <TextArea
          label="Stop sequences"
          hint="One on each line."
          rows={2}
          value={draft.stop}
          onChange={({ target }) => onChange({ stop: target.value })}
        />
        <CheckField
          label="Stream"
          checked={draft.streams}
          onChange={({ target }) => onChange({ streams: target.checked })}
        />
        <CheckField
          label="Refuse what would be lost"
          hint="headgate-strict: a loss is a 400 instead."
          checked={draft.isStrict}
          onChange={({ target }) => onChange({ isStrict: target.checked })}
        />
      </Fold>
      <Fold title="Tools" note={settings.tools.length === 0 ? 'none' : String(settings.tools.length)}>
        <TextArea
          label="Tools"
          hint="A list, as JSON: name, description, parameters (a JSON schema)."
          rows={8}
          spellCheck={false}
          className="font-mono text-small!"
          value={draft.tools}
          error={wrong.tools}
          onChange={({ target }) => onChange({ tools: target.value })}
        />
        {draft.tools === '' && (
          <Button look="quiet" className="self-start" onClick={() => onChange({ tools: SAMPLE_TOOL })}>
            Fill in an example
          </Button>
        )}
        {settings.tools.length > 0 && (
          <SelectField
            label="Which tool is called"
            choices={choices}
            value={choices.some(({ value }) => value === draft.toolChoice) ? draft.toolChoice : ''}
            onChange={({ target }) => onChange({ toolChoice: target.value })}
          />
        )}
      </Fold>
      <Fold title="Structured output" note={settings.schema ? 'set' : 'none'}>
        <TextArea
          label="Schema of the answer"
          hint="A JSON schema. Empty: the answer is text."
          rows={8}
          spellCheck={false}
          className="font-mono text-small!"
          value={draft.schema}
          error={wrong.schema}
          onChange={({ target }) => onChange({ schema: target.value })}
        />
        {draft.schema === '' && (
          <Button look="quiet" className="self-start" onClick={() => onChange({ schema: SAMPLE_SCHEMA })}>
            Fill in an example
          </Button>
        )}
      </Fold>
    </div>
  )
}
