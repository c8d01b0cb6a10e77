import { buttonClass } from '../../../components/button.tsx'
import { Note } from '../../../components/states.tsx'
import type { EndpointResponse } from '../endpoint/response.ts'
import { useBlobUrl } from '../endpoint/use-blob-url.ts'
import { Fold } from '../panel-fold.tsx'
import { clock, type TranscriptCue, transcriptOf } from './transcript.ts'

/** Text of a response, with its times. */
export function TranscriptView({ response }: { readonly response: EndpointResponse }) {
  const format = response.request.fields['response_format']
  const transcript = transcriptOf(format, response.text, response.answer)
  const file = useBlobUrl(response.body)
  if (!transcript) return <Note look="bad">The response has no transcript. See the Raw tab.</Note>
  const { text, language, seconds, cues, words } = transcript
  const facts = [language, seconds === undefined ? '' : clock(seconds)].filter((fact) => fact !== '')
  return (
    <div className="flex flex-col gap-3">
      {text === '' ? <p className="text-muted">The transcript is empty.</p> : <p className="max-w-prose">{text}</p>}
      {facts.length > 0 && <p className="text-small text-muted">{facts.join(', ')}</p>}
      {cues.length > 0 && <CueTable cues={cues} label="Segments" />}
      {words.length > 0 && (
        <Fold title="Words" note={words.length}>
          <CueTable cues={words} label="Words" />
        </Fold>
      )}
      <a href={file} download={`transcript.${endingOf(format)}`} className={buttonClass('plain', 'self-start')}>
        Download
      </a>
    </div>
  )
}

function endingOf(format: unknown): string {
  if (format === 'srt' || format === 'vtt') return format
  return format === 'text' ? 'txt' : 'json'
}

function CueTable({ cues, label }: { readonly cues: readonly TranscriptCue[]; readonly label: string }) {
  const hasSpeakers = cues.some(({ speaker }) => speaker !== '')
  return (
    <table className="w-full text-small" aria-label={label}>
      <thead>
        <tr className="text-left text-muted">
          <th scope="col" className="py-1 pr-3 font-medium">
            Start
          </th>
          <th scope="col" className="py-1 pr-3 font-medium">
            End
          </th>
          {hasSpeakers && (
            <th scope="col" className="py-1 pr-3 font-medium">
              Speaker
            </th>
          )}
          <th scope="col" className="w-full py-1 font-medium">
            Text
          </th>
        </tr>
      </thead>
      <tbody>
        {cues.map(({ start, end, speaker, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the cues of a transcript do not change.
          <tr key={index} className="border-t border-line align-top">
            <td className="number py-1 pr-3">{clock(start)}</td>
            <td className="number py-1 pr-3">{clock(end)}</td>
            {hasSpeakers && <td className="py-1 pr-3">{speaker}</td>}
            <td className="py-1 wrap-anywhere">{text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
