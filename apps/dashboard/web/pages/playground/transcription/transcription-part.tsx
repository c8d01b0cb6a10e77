import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../../components/field.tsx'
import { count } from '../../../formats/numbers.ts'
import { LABELS } from '../../../labels.ts'
import { EndpointForm, type FamilyPartProps } from '../endpoint/endpoint-form.tsx'
import { useBlobUrl } from '../endpoint/use-blob-url.ts'
import { FileButton } from '../files.tsx'
import { NO_RECORDING, TRANSCRIPT_FORMATS, type TranscriptionDraft, transcriptionRequest } from './transcript.ts'
import { TranscriptView } from './transcript-view.tsx'

const FORMATS = TRANSCRIPT_FORMATS.map((value) => ({ value, title: value }))

/** Form that transcribes a recording. The policy of the page does not allow the microphone, so it takes files. */
export function TranscriptionPart(props: FamilyPartProps) {
  const [draft, setDraft] = useState(NO_RECORDING)
  const change = (part: Partial<TranscriptionDraft>): void => setDraft((before) => ({ ...before, ...part }))
  return (
    <EndpointForm
      {...props}
      title="Transcript"
      kind="transcription model"
      action="Transcribe"
      announcement="Transcript received."
      request={transcriptionRequest(props.model ?? '', draft)}
      isReady={draft.file !== undefined}
      view={(response) => <TranscriptView response={response} />}
    >
      <Recording file={draft.file} onFile={(file) => change({ file })} />
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label="Response format"
          choices={FORMATS}
          value={draft.format}
          onPick={(format) => change({ format })}
        />
        <TextField
          label="Language"
          placeholder="detected"
          maxLength={10}
          value={draft.language}
          onText={(language) => change({ language: language.trim() })}
        />
      </div>
      {draft.format === 'verbose_json' && (
        <CheckField label="Times of words" checked={draft.hasWords} onCheck={(hasWords) => change({ hasWords })} />
      )}
      <TextArea
        label="Prompt"
        hint="Text before the recording, for spelling."
        rows={2}
        value={draft.prompt}
        onText={(prompt) => change({ prompt })}
      />
    </EndpointForm>
  )
}

interface RecordingProps {
  readonly file: File | undefined
  onFile(file: File | undefined): void
}

/** Recording to transcribe, with a player. */
function Recording({ file, onFile }: RecordingProps) {
  const url = useBlobUrl(file)
  return (
    <div className="flex flex-col items-start gap-2">
      {file && (
        <>
          <div className="flex max-w-full items-center gap-2">
            <span className="truncate">{file.name}</span>
            <span className="text-small whitespace-nowrap text-muted">{count(file.size)} bytes</span>
            <Button look="quiet" onClick={() => onFile(undefined)}>
              {LABELS.remove}
            </Button>
          </div>
          {/* biome-ignore lint/a11y/useMediaCaption: the transcript is the purpose of the page. */}
          <audio controls src={url} aria-label={`Recording ${file.name}`} className="w-full" />
        </>
      )}
      <FileButton accept="audio/*,video/*" onFiles={([added]) => added && onFile(added)}>
        {file ? 'Replace recording' : 'Add recording'}
      </FileButton>
    </div>
  )
}
