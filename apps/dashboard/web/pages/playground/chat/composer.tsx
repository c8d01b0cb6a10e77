import { Paperclip, Send, Square, X } from 'lucide-react'
import { type DragEvent, useId, useState } from 'react'
import { Button, buttonClass, IconButton } from '../../../components/button.tsx'
import { TextArea } from '../../../components/field.tsx'
import type { Attachment } from './conversation.ts'
import { attachmentOf, MOST, TYPES } from './files.ts'

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
  onClear?(): void
}

/** What all models are told next. */
export function Composer({ prompt, files, isBusy, canSend, note, onChange, onSend, onStop, onClear }: ComposerProps) {
  const [error, setError] = useState<string>()
  const fileId = useId()
  const add = async (given: readonly File[]): Promise<void> => {
    setError(undefined)
    if (files.length + given.length > MOST.files) return setError(`At most ${MOST.files} files go with a message.`)
    try {
      onChange({ files: [...files, ...(await Promise.all(given.map(attachmentOf)))] })
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem))
    }
  }
  const drop = (event: DragEvent): void => {
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    void add([...event.dataTransfer.files])
  }
  return (
    <form
      aria-label="Message"
      className="flex flex-col gap-2 rounded-panel border border-line bg-bg p-3"
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
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
        onChange={({ target }) => onChange({ prompt: target.value })}
        onPaste={(event) => {
          const pasted = [...event.clipboardData.files]
          if (pasted.length === 0) return
          event.preventDefault()
          void add(pasted)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          if (canSend && !isBusy) onSend()
        }}
      />
      {files.length > 0 && (
        <ul aria-label="Files" className="flex flex-wrap gap-2">
          {files.map((file, index) => (
            <li
              key={`${file.name} ${file.data.length}`}
              className="flex max-w-full items-center gap-1 rounded-field border border-line bg-sunken pl-2"
            >
              <span className="truncate text-small">{file.name}</span>
              <IconButton
                label={`Take ${file.name} out`}
                onClick={() => onChange({ files: files.toSpliced(index, 1) })}
              >
                <X aria-hidden size={14} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex min-w-0 items-center gap-3">
          <label
            htmlFor={fileId}
            className={buttonClass('plain', 'cursor-pointer focus-within:outline-2 focus-within:outline-accent')}
          >
            <Paperclip aria-hidden size={14} /> Add a file
            <input
              id={fileId}
              type="file"
              multiple
              accept={TYPES.join(',')}
              className="sr-only"
              onChange={({ target }) => {
                void add([...(target.files ?? [])])
                target.value = ''
              }}
            />
          </label>
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
