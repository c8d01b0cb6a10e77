import type { ReactNode } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { classes } from '../../components/classes.ts'
import type { Attachment } from './chat/conversation.ts'

export interface FileButtonProps {
  /** Types of files that may be chosen, as `image/*`. */
  readonly accept: string
  readonly isMultiple?: boolean
  readonly className?: string
  onFiles(files: readonly File[]): void
  readonly children: ReactNode
}

/** Button that has the browser ask for files. */
export function FileButton({ accept, isMultiple = false, className, onFiles, children }: FileButtonProps) {
  return (
    <label
      className={buttonClass(
        'plain',
        classes('cursor-pointer focus-within:outline-2 focus-within:outline-accent', className),
      )}
    >
      {children}
      <input
        type="file"
        multiple={isMultiple}
        accept={accept}
        className="sr-only"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // The same file can be chosen again.
          target.value = ''
        }}
      />
    </label>
  )
}

/** What models may be shown. */
export const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'] as const
/** Most bytes of one file, and most files. */
export const MOST = { bytes: 10_000_000, files: 8 }

/** A file as it goes with a request. @throws Error for one that is too large, or nothing that is shown. */
export async function attachmentOf(file: File): Promise<Attachment> {
  const type = TYPES.find((one) => one === file.type)
  if (!type) throw new Error(`${file.name} is neither an image (PNG, JPEG, WebP, GIF) nor a PDF.`)
  if (file.size > MOST.bytes) throw new Error(`${file.name} has more than ${MOST.bytes / 1_000_000} MB.`)
  return { name: file.name, type, data: await base64Of(file) }
}

function base64Of(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
  reader.onerror = () => reject(new Error(`${file.name} could not be read.`))
  reader.readAsDataURL(file)
  return promise
}
