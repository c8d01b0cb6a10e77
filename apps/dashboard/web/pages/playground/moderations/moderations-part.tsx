import { useState } from 'react'
import { UserError } from '../../../api/problem.ts'
import { Button } from '../../../components/button.tsx'
import { CheckField, TextArea } from '../../../components/field.tsx'
import { toastProblem } from '../../../components/toasts.tsx'
import { LABELS } from '../../../labels.ts'
import { dataUrl, isImage } from '../chat/conversation.ts'
import { EndpointForm, type FamilyPartProps } from '../endpoint/endpoint-form.tsx'
import { attachmentOf, FileButton } from '../files.tsx'
import { contentsOf, MAX_CONTENTS, type ModerationsDraft, moderationsRequest, NO_CONTENT } from './verdicts.ts'
import { VerdictsView } from './verdicts-view.tsx'

/** Form that classifies contents. */
export function ModerationsPart(props: FamilyPartProps) {
  const [draft, setDraft] = useState(NO_CONTENT)
  const change = (part: Partial<ModerationsDraft>): void => setDraft((before) => ({ ...before, ...part }))
  const contents = contentsOf(draft)
  const areTooMany = contents.length > MAX_CONTENTS
  const hasContent = draft.image !== '' || contents.some((content) => content.trim() !== '')
  return (
    <EndpointForm
      {...props}
      title="Verdicts"
      kind="moderation model"
      action="Classify"
      announcement="Verdicts received."
      request={moderationsRequest(props.model ?? '', draft)}
      isReady={hasContent && !areTooMany}
      view={(response) => <VerdictsView response={response} />}
    >
      <TextArea
        label="Content"
        rows={5}
        value={draft.text}
        error={areTooMany ? `Enter at most ${MAX_CONTENTS} lines.` : undefined}
        onText={(text) => change({ text })}
      />
      {draft.image === '' && (
        <CheckField
          label="Classify each line separately"
          checked={draft.isPerLine}
          onCheck={(isPerLine) => change({ isPerLine })}
        />
      )}
      <ContentImage image={draft.image} onImage={(image) => change({ image })} />
    </EndpointForm>
  )
}

/** Image of the content. @param image data URL; empty = none */
function ContentImage({ image, onImage }: { readonly image: string; onImage(image: string): void }) {
  const read = async ([file]: readonly File[]): Promise<void> => {
    if (!file) return
    try {
      const attachment = await attachmentOf(file)
      if (!isImage(attachment)) throw new UserError('The file must be an image.')
      onImage(dataUrl(attachment))
    } catch (error) {
      toastProblem(error)
    }
  }
  if (image === '')
    return (
      <FileButton accept="image/*" className="self-start" onFiles={(files) => void read(files)}>
        Add image
      </FileButton>
    )
  return (
    <div className="flex items-end gap-2">
      <img src={image} alt="Content to classify" className="max-h-24 rounded-field" />
      <Button look="quiet" onClick={() => onImage('')}>
        {LABELS.remove}
      </Button>
    </div>
  )
}
