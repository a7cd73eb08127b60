import { useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, ImageOff } from 'lucide-react'
import { Button } from '../../../components/ui/button.tsx'
import { Skeleton, Spinner } from '../../../components/ui/loading.tsx'
import { countOf } from '../../../lib/format.ts'
import { usePrinting } from '../../../photos/printing.ts'
import { continueWithoutFailed, loadPhotos, validateAndUpload } from '../actions/prepare-photos.ts'
import { type NextButton, PrintWarning, ProgressLine, StepHeading, useMissing } from '../step-parts.tsx'
import { removePhoto, type WizardPhoto } from '../wizard-state.ts'
import { change, useActivity, useUnknownAttempt, useWizard } from '../wizard-store.ts'

export function UploadStep() {
  const client = useQueryClient()
  const { photos, wanted } = useWizard()
  const { reason } = usePrinting()
  const { failed } = useMissing(wanted !== null, () => loadPhotos(client))
  const count = wanted?.photoIds.length ?? photos.length
  return (
    <div className="grid gap-4">
      <div>
        <StepHeading>{count === 1 ? 'Upload your photo' : 'Upload your photos'}</StepHeading>
        <ul className="mt-1 list-disc pl-5 text-muted">
          <li>Formats: JPEG and PNG. Other photos are converted to JPEG.</li>
          <li>
            For a sharp print a photo needs at least 200 dots per inch: 800 x 1200 pixels for 4x6, 1600 x 2000 for 8x10.
          </li>
          <li>Prints are made from your originals. Your photos are sent to Walgreens only with an order.</li>
        </ul>
      </div>
      {reason && (
        <p role="alert" className="rounded-md bg-warn-soft px-4 py-3">
          <strong className="block text-warn">Service unavailable</strong>
          <span>{reason}</span>
        </p>
      )}
      <ul aria-label="Photos" className="grid gap-2">
        {photos.map((photo) => (
          <PhotoRow key={photo.id} photo={photo} removable={photos.length > 1} />
        ))}
      </ul>
      {wanted && !failed && (
        <div role="status" className="grid gap-2">
          <span className="sr-only">Loading photos</span>
          {wanted.photoIds.slice(0, ROWS_AWAITED).map((id) => (
            <div key={id} className="flex items-center gap-3">
              <Skeleton className="h-14 w-20 shrink-0" />
              <Skeleton className="h-4 w-40" />
            </div>
          ))}
        </div>
      )}
      <ProgressLine label="Upload progress" />
    </div>
  )
}

const ROWS_AWAITED = 5

function PhotoRow({ photo, removable }: { photo: WizardPhoto; removable: boolean }) {
  const { title, thumbnailUrl, picture, warning, failure } = photo
  const isUploading = useActivity().busy === 'upload'
  return (
    <li className="flex items-center gap-3">
      <span className="grid h-14 w-20 shrink-0 place-items-center overflow-hidden rounded-sm bg-sunken text-muted">
        {thumbnailUrl ? (
          <img src={thumbnailUrl} alt="" className="size-full object-cover" />
        ) : (
          <ImageOff aria-hidden className="size-5" />
        )}
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate font-semibold">{title}</p>
        {warning && !failure && <PrintWarning text={warning} />}
        {failure && (
          <p className="flex items-start gap-1.5 text-sm text-danger wrap-anywhere">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" /> <span>{failure}</span>
          </p>
        )}
        {picture && (
          <p className="flex items-center gap-1.5 text-sm text-muted">
            <CircleCheck aria-hidden className="size-4 shrink-0 text-good" />
            <span>{`Ready: ${picture.sourceWidth} x ${picture.sourceHeight} pixels`}</span>
          </p>
        )}
        {!picture && !failure && isUploading && (
          <p className="flex items-center gap-1.5 text-sm text-muted">
            <Spinner /> Uploading
          </p>
        )}
      </div>
      {removable && !isUploading && (
        <Button
          size="small"
          variant="quiet"
          aria-label={`Remove ${title}`}
          onClick={() => change(removePhoto, photo.id)}
        >
          Remove
        </Button>
      )}
    </li>
  )
}

export function useUploadNext(): NextButton {
  const client = useQueryClient()
  const { photos, userId } = useWizard()
  const { busy } = useActivity()
  const { available } = usePrinting()
  const mustCheckLast = useUnknownAttempt(userId) !== null
  const ready = photos.filter(({ failure }) => failure === null)
  const someFailed = ready.length > 0 && ready.length < photos.length
  return {
    children: 'Validate & Upload',
    variant: someFailed ? 'secondary' : 'primary',
    busy: busy === 'upload',
    disabled: !available || mustCheckLast || photos.length === 0,
    onClick: () => validateAndUpload(client),
    other: someFailed && !busy && (
      <Button variant="primary" className="order-last" onClick={continueWithoutFailed}>
        {`Continue with ${countOf(ready.length, 'photo')}`}
      </Button>
    ),
  }
}
