import { useMemo, useState } from 'react'
import { buttonClass } from '../../../components/button.tsx'
import { Combobox } from '../../../components/combobox.tsx'
import { SelectField, TextArea, TextField } from '../../../components/field.tsx'
import { Note } from '../../../components/states.tsx'
import { count, counted } from '../../../formats/numbers.ts'
import { LABELS } from '../../../labels.ts'
import { choicesOf } from '../endpoint/choices.ts'
import { EndpointForm, type FamilyPartProps } from '../endpoint/endpoint-form.tsx'
import type { EndpointResponse } from '../endpoint/response.ts'
import { useBlobUrl } from '../endpoint/use-blob-url.ts'
import {
  charactersOf,
  isSpeed,
  NO_SPEECH,
  playable,
  SPEECH_FORMATS,
  type SpeechDraft,
  soundEnding,
  speechRequest,
  VOICES,
} from './speech.ts'

const VOICE_CHOICES = VOICES.map((value) => ({ value, title: value }))
const FORMATS = choicesOf(SPEECH_FORMATS)

/** Form that creates speech. */
export function SpeechPart(props: FamilyPartProps) {
  const [draft, setDraft] = useState(NO_SPEECH)
  const change = (part: Partial<SpeechDraft>): void => setDraft((before) => ({ ...before, ...part }))
  const isRight = isSpeed(draft.speed)
  return (
    <EndpointForm
      {...props}
      title="Speech"
      kind="speech model"
      action="Generate speech"
      announcement="Speech received."
      request={speechRequest(props.model ?? '', draft)}
      isReady={draft.input.trim() !== '' && isRight}
      view={(response) => <SpeechView response={response} />}
    >
      <TextArea
        label="Text"
        rows={5}
        required
        hint={`${counted(charactersOf(draft.input), 'character')}. Each model has its own maximum.`}
        value={draft.input}
        onText={(input) => change({ input })}
      />
      <div className="grid grid-cols-2 gap-3">
        <Combobox
          label="Voice"
          options={VOICE_CHOICES}
          value={draft.voice}
          allowsOther
          onChange={(voice) => change({ voice: voice.trim() })}
        />
        <SelectField
          label={LABELS.format}
          choices={FORMATS}
          value={draft.format}
          onPick={(format) => change({ format })}
        />
        <TextField
          label="Speed"
          inputMode="decimal"
          placeholder="1"
          value={draft.speed}
          error={isRight ? undefined : 'Enter a number above 0.'}
          onText={(speed) => change({ speed })}
        />
      </div>
      <TextArea
        label="Instructions"
        hint="Tone and manner, for models that support it."
        rows={2}
        value={draft.instructions}
        onText={(instructions) => change({ instructions })}
      />
    </EndpointForm>
  )
}

/** Player of a response. */
function SpeechView({ response: { body, type } }: { readonly response: EndpointResponse }) {
  const sound = useMemo(() => playable(body, type), [body, type])
  const [player, file] = [useBlobUrl(sound), useBlobUrl(body)]
  const ending = soundEnding(type)
  if (ending === '' || body.size === 0) return <Note look="bad">The response has no sound. See the Raw tab.</Note>
  return (
    <div className="flex flex-col items-start gap-3">
      {/* biome-ignore lint/a11y/useMediaCaption: the text is in the form. */}
      <audio controls src={player} aria-label="Generated speech" className="w-full max-w-120" />
      <p className="flex flex-wrap items-center gap-3 text-small text-muted">
        <a href={file} download={`speech.${ending}`} className={buttonClass()}>
          Download
        </a>
        <span>
          {ending}, {count(body.size)} bytes
        </span>
      </p>
    </div>
  )
}
