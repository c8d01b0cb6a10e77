import type { ReactNode } from 'react'
import { UserError } from '../../api/problem.ts'
import { buttonClass } from '../../components/button.tsx'
import { classes } from '../../components/classes.ts'
import type { Attachment } from './chat/conversation.ts'

export interface FileButtonProps {
  /** Accepted file types, such as `image/*`. */
  readonly accept: string
  readonly isMultiple?: boolean
  readonly className?: string
  onFiles(files: readonly File[]): void
  readonly children: ReactNode
}

/** Button that opens the file dialog of the browser. */
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
          // The same file can be selected again.
          target.value = ''
        }}
      />
    </label>
  )
}

/** Supported types of attachments. */
export const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'] as const
/** Maximum size of a file in bytes, and maximum number of files. */
export const LIMITS = { bytes: 10_000_000, files: 8 }

/** Reads a file for a request. @throws Error if it is too large or has an unsupported type */
export async function attachmentOf(file: File): Promise<Attachment> {
  const type = TYPES.find((one) => one === file.type)
  if (!type) throw new UserError(`${file.name} is not supported. Use PNG, JPEG, WebP, GIF or PDF.`)
  if (file.size > LIMITS.bytes) throw new UserError(`${file.name} is larger than ${LIMITS.bytes / 1_000_000} MB.`)
  return { name: file.name, type, data: await base64Of(file) }
}

function base64Of(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
  reader.onerror = () => reject(new UserError(`${file.name} could not be read.`))
  reader.readAsDataURL(file)
  return promise
}
