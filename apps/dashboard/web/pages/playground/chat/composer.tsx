import { Paperclip, Send, Square, X } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, useState } from 'react'
import { Button, IconButton } from '../../../components/button.tsx'
import { TextArea } from '../../../components/field.tsx'
import { attachmentOf, FileButton, MOST, TYPES } from '../files.tsx'
import type { Attachment } from './conversation.ts'

export interface ComposerProps {
  readonly prompt: string
  readonly files: readonly Attachment[]
  readonly isBusy: boolean
  readonly canSend: boolean
  /** What can be said before it is sent: what it may cost. */
  readonly note?: React.ReactNode
  onChange(change: { readonly prompt?: string; readonly files?: readonly Attachment[] }): void
  onSend(): void
  onStop(): void
  /** Forgets what was said; absent = nothing was. */
  readonly onClear?: (() => void) | undefined
}

/** What all models are told next. */
export function Composer({ prompt, files, isBusy, canSend, note, onChange, onSend, onStop, onClear }: ComposerProps) {
  const [error, setError] = useState<string>()
  const add = async (given: readonly File[]): Promise<void> => {
    setError(undefined)
    if (files.length + given.length > MOST.files) return setError(`At most ${MOST.files} files go with a message.`)
    try {
      onChange({ files: [...files, ...(await Promise.all(given.map(attachmentOf)))] })
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem))
    }
  }
  const take = (event: ClipboardEvent | DragEvent, given: FileList): void => {
    if (given.length === 0) return
    event.preventDefault()
    void add([...given])
  }
  return (
    <form
      aria-label="Message"
      className="flex flex-col gap-2 rounded-panel border border-line bg-bg p-3"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer.files)}
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
        placeholder="Ask all of them the same."
        onText={(prompt) => onChange({ prompt })}
        onPaste={(event) => take(event, event.clipboardData.files)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          if (canSend && !isBusy) onSend()
        }}
      />
      <Attachments files={files} onRemove={(index) => onChange({ files: files.toSpliced(index, 1) })} />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex min-w-0 items-center gap-3">
          <FileButton accept={TYPES.join(',')} isMultiple onFiles={(given) => void add(given)}>
            <Paperclip aria-hidden size={14} /> Add a file
          </FileButton>
          <div className="min-w-0 text-small text-muted">{note}</div>
        </div>
        <div className="flex items-center gap-2">
          {onClear && (
            <Button look="quiet" onClick={onClear}>
              Begin anew
            </Button>
          )}
          {isBusy && (
            <Button onClick={onStop}>
              <Square aria-hidden size={14} /> Stop
            </Button>
          )}
          <Button type="submit" look="primary" disabled={!canSend || isBusy}>
            <Send aria-hidden size={14} /> Send
          </Button>
        </div>
      </div>
    </form>
  )
}

/** Files that go with the message. */
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
          <IconButton label={`Take ${file.name} out`} onClick={() => onRemove(index)}>
            <X aria-hidden size={14} />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}
