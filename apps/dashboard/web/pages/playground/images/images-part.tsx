import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Combobox } from '../../../components/combobox.tsx'
import { SelectField, TextArea, TextField } from '../../../components/field.tsx'
import { LABELS } from '../../../labels.ts'
import { choicesOf } from '../endpoint/choices.ts'
import { EndpointForm, type FamilyPartProps } from '../endpoint/endpoint-form.tsx'
import { FileButton } from '../files.tsx'
import { type ImagesDraft, imagesRequest, isImageCount, MAX_IMAGES, NO_IMAGES } from './images.ts'
import { ImagesView } from './images-view.tsx'

const SIZES = choicesOf(['auto', '1024x1024', '1536x1024', '1024x1536'])
const QUALITIES = choicesOf(['auto', 'low', 'medium', 'high', 'xhigh', 'max'])
const FORMATS = choicesOf(['png', 'jpeg', 'webp'])

/** Form that creates and edits images. */
export function ImagesPart(props: FamilyPartProps) {
  const [draft, setDraft] = useState(NO_IMAGES)
  const change = (part: Partial<ImagesDraft>): void => setDraft((before) => ({ ...before, ...part }))
  const isCount = isImageCount(draft.n)
  return (
    <EndpointForm
      {...props}
      title="Images"
      kind="image model"
      action={draft.inputs.length > 0 ? 'Edit images' : 'Generate images'}
      announcement="Images received."
      request={imagesRequest(props.model ?? '', draft)}
      isReady={draft.prompt.trim() !== '' && isCount}
      view={(response) => <ImagesView response={response} />}
    >
      <TextArea label="Prompt" rows={4} required value={draft.prompt} onText={(prompt) => change({ prompt })} />
      <div className="grid grid-cols-2 gap-3">
        <Combobox
          label="Size"
          options={SIZES}
          value={draft.size}
          allowsOther
          onChange={(size) => change({ size: size.trim() })}
        />
        <Combobox
          label="Quality"
          options={QUALITIES}
          value={draft.quality}
          allowsOther
          onChange={(quality) => change({ quality: quality.trim() })}
        />
        <TextField
          label="Number"
          inputMode="numeric"
          placeholder="1"
          value={draft.n}
          error={isCount ? undefined : `Enter a whole number from 1 to ${MAX_IMAGES}.`}
          onText={(n) => change({ n })}
        />
        <SelectField
          label={LABELS.format}
          choices={FORMATS}
          value={draft.format}
          onPick={(format) => change({ format })}
        />
      </div>
      <InputImages inputs={draft.inputs} onInputs={(inputs) => change({ inputs })} />
    </EndpointForm>
  )
}

interface InputImagesProps {
  readonly inputs: readonly File[]
  onInputs(inputs: readonly File[]): void
}

/** Images to edit. */
function InputImages({ inputs, onInputs }: InputImagesProps) {
  return (
    <div className="flex flex-col items-start gap-2">
      {inputs.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a file can be added twice.
        <div key={index} className="flex max-w-full items-center gap-2">
          <span className="truncate">{file.name}</span>
          <Button look="quiet" aria-label={`Remove ${file.name}`} onClick={() => onInputs(inputs.toSpliced(index, 1))}>
            {LABELS.remove}
          </Button>
        </div>
      ))}
      <FileButton accept="image/*" isMultiple onFiles={(files) => onInputs([...inputs, ...files])}>
        Add images to edit
      </FileButton>
    </div>
  )
}
