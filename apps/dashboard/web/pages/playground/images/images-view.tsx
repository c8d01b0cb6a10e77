import { useMemo, useState } from 'react'
import { buttonClass } from '../../../components/button.tsx'
import { Note } from '../../../components/states.tsx'
import type { EndpointResponse } from '../endpoint/response.ts'
import { useBlobUrl } from '../endpoint/use-blob-url.ts'
import { endingOf, imagesOf, type ResponseImage } from './images.ts'

/** Images of a response. */
export function ImagesView({ response }: { readonly response: EndpointResponse }) {
  const images = useMemo(() => imagesOf(response.answer), [response.answer])
  const prompt = String(response.request.fields['prompt'])
  if (images.length === 0) return <Note look="bad">The response has no image. See the Raw tab.</Note>
  return (
    <ul className="flex flex-wrap gap-4">
      {images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the images of a response do not change.
        <li key={index} className="flex max-w-full flex-col items-start gap-2">
          <ImageView image={image} number={index + 1} alt={image.revised || prompt} />
        </li>
      ))}
    </ul>
  )
}

interface ImageViewProps {
  readonly image: ResponseImage
  /** Position in the response, from 1. */
  readonly number: number
  readonly alt: string
}

function ImageView({ image: { blob, address, revised }, number, alt }: ImageViewProps) {
  const url = useBlobUrl(blob)
  const [size, setSize] = useState('')
  if (!blob)
    return (
      <>
        <Note look="plain">This image is stored at its provider.</Note>
        <a href={address} target="_blank" rel="noreferrer" className={buttonClass()}>
          Open image {number}
        </a>
      </>
    )
  if (url === undefined) return null
  return (
    <>
      <img
        src={url}
        alt={alt}
        className="max-h-[60dvh] max-w-full rounded-field"
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize(`${naturalWidth} × ${naturalHeight}`)}
      />
      {revised !== '' && <p className="max-w-prose text-small text-muted">Revised prompt: {revised}</p>}
      <p className="flex flex-wrap items-center gap-3 text-small text-muted">
        <a href={url} download={`image-${number}.${endingOf(blob)}`} className={buttonClass()}>
          Download image {number}
        </a>
        <span>
          {endingOf(blob).toUpperCase()}
          {size !== '' && `, ${size} pixels`}
        </span>
      </p>
    </>
  )
}
