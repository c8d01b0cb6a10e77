import { Paperclip, Send, Square, X } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { TextArea } from '../../../components/field.tsx'
import { useRestoredDraft } from '../../../components/use-draft.ts'
import { LABELS } from '../../../labels.ts'
import { attachmentOf, FileButton, LIMITS, TYPES } from '../files.tsx'
import type { Attachment } from './conversation.ts'

export interface ComposerProps {
  readonly prompt: string
  readonly files: readonly Attachment[]
  readonly isBusy: boolean
  readonly canSend: boolean
  /** Worst-case cost, or the reason why the message cannot be sent. */
  readonly note?: React.ReactNode
  onChange(change: { readonly prompt?: string; readonly files?: readonly Attachment[] }): void
  onSend(): void
  onStop(): void
  /** Clears all conversations; absent = no conversations. */
  readonly onClear?: (() => void) | undefined
}

/** Form for the next message to all models. */
export function Composer({ prompt, files, isBusy, canSend, note, onChange, onSend, onStop, onClear }: ComposerProps) {
  const [error, setError] = useState<string>()
  const form = useRef<HTMLFormElement>(null)
  useRestoredDraft(form)
  const add = async (chosen: readonly File[]): Promise<void> => {
    setError(undefined)
    if (files.length + chosen.length > LIMITS.files)
      return setError(`A message can have at most ${LIMITS.files} files.`)
    try {
      onChange({ files: [...files, ...(await Promise.all(chosen.map(attachmentOf)))] })
    } catch (problem) {
      setError(problemOf(problem).details.detail)
    }
  }
  const addFrom = (event: ClipboardEvent | DragEvent, chosen: FileList): void => {
    if (chosen.length === 0) return
    event.preventDefault()
    void add([...chosen])
  }
  return (
    <form
      ref={form}
      aria-label="Message"
      className="flex flex-col gap-2 rounded-panel border border-line bg-bg p-3"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => addFrom(event, event.dataTransfer.files)}
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) onSend()
      }}
    >
      <TextArea
        label="Message"
        rows={2}
        value={prompt}
        error={error}
        placeholder="Message…"
        onText={(prompt) => onChange({ prompt })}
        onPaste={(event) => addFrom(event, event.clipboardData.files)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          if (canSend && !isBusy) onSend()
        }}
      />
      <Attachments files={files} onRemove={(index) => onChange({ files: files.toSpliced(index, 1) })} />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex min-w-0 items-center gap-3">
          <FileButton accept={TYPES.join(',')} isMultiple onFiles={(chosen) => void add(chosen)}>
            <Paperclip aria-hidden size={14} /> Add file
          </FileButton>
          <div className="min-w-0 text-small text-muted">{note}</div>
        </div>
        <div className="flex items-center gap-2">
          {onClear && (
            <Button look="quiet" onClick={onClear}>
              {LABELS.clear}
            </Button>
          )}
          {isBusy && (
            <Button onClick={onStop}>
              <Square aria-hidden size={14} /> {LABELS.stop}
            </Button>
          )}
          <Button type="submit" look="primary" disabled={!canSend || isBusy}>
            <Send aria-hidden size={14} /> {LABELS.send}
          </Button>
        </div>
      </div>
    </form>
  )
}

/** Files of the message. */
function Attachments({ files, onRemove }: { readonly files: readonly Attachment[]; onRemove(index: number): void }) {
  if (files.length === 0) return null
  return (
    <ul aria-label="Files" className="flex flex-wrap gap-2">
      {files.map((file, index) => (
        <li
          key={`${file.name} ${file.data.length}`}
          className="flex max-w-full items-center gap-1 rounded-field border border-line bg-sunken pl-2"
        >
          <span className="truncate text-small">{file.name}</span>
          <IconButton label={`Remove ${file.name}`} onClick={() => onRemove(index)}>
            <X aria-hidden size={14} />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}
