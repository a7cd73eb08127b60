import { CropIcon, TriangleAlert } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../../components/ui/button.tsx'
import { Field, Select } from '../../../components/ui/field.tsx'
import { formatCents } from '../../../lib/order-formats.ts'
import { defaultCrop, dpiOf, GOOD_DPI, type PrintSize, printSizeOf } from '../crop.ts'
import { priceOf, productName, productOf } from '../order.ts'
import { changePrint, removePrint } from '../prints-state.ts'
import { change, useWizard } from '../wizard-store.ts'
import type { Picture, Print, WizardPhoto } from '../wizard-types.ts'
import { CropEditor } from './crop-editor.tsx'
import { CropPreview } from './crop-preview.tsx'
import { QuantityField } from './quantity-field.tsx'

interface PrintRowProps {
  photo: WizardPhoto
  print: Print
  number: number
  showChoice: boolean
  removable: boolean
  editing: boolean
  onEditing: (on: boolean) => void
}

/** One print of a photo: what the paper will show, its size and its quantity. */
export function PrintRow(props: PrintRowProps) {
  const { photo, print, number, showChoice, removable, editing, onEditing } = props
  const state = useWizard()
  const product = productOf(state, print)
  const size = product && printSizeOf(product)
  const { picture } = photo
  const adjust = useRef<HTMLButtonElement>(null)
  const name = product ? `${photo.title}, ${productName(product)}` : `${photo.title}, print ${number}`

  function closeEditor(): void {
    onEditing(false)
    adjust.current?.focus()
  }

  return (
    <li className="grid gap-3">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        {picture && size ? (
          <CropPreview picture={picture} crop={print.crop ?? defaultCrop(picture, size)} alt={`Print of ${name}`} />
        ) : (
          <EmptyPreview photo={photo} />
        )}
        <div className="grid min-w-44 flex-1 gap-2">
          {showChoice && <PrintChoice print={print} name={name} />}
          {picture && size && <Resolution picture={picture} size={size} print={print} />}
          {product && (
            <p className="text-sm text-muted">
              {print.quantity} x {formatCents(priceOf(product))} ={' '}
              <strong className="text-text">{formatCents(priceOf(product) * print.quantity)}</strong>
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            {picture && size && photo.own && (
              <Button
                ref={adjust}
                size="small"
                aria-expanded={editing}
                aria-label={`${editing ? 'Hide' : 'Adjust'} crop of ${name}`}
                onClick={() => onEditing(!editing)}
              >
                <CropIcon aria-hidden /> {editing ? 'Hide crop' : 'Adjust crop'}
              </Button>
            )}
            {removable && (
              <Button
                size="small"
                variant="quiet"
                aria-label={`Remove ${name}`}
                onClick={() => change(removePrint, print.key)}
              >
                Remove
              </Button>
            )}
          </div>
          {!photo.own && <p className="text-sm text-muted">The middle of this photo is printed.</p>}
        </div>
      </div>
      {editing && picture && size && photo.own && (
        <CropEditor
          picture={picture}
          size={size}
          crop={print.crop ?? defaultCrop(picture, size)}
          name={name}
          onChange={(crop) => change(changePrint, print.key, { crop })}
          onClose={closeEditor}
        />
      )}
    </li>
  )
}

function PrintChoice({ print, name }: { print: Print; name: string }) {
  const { products } = useWizard()
  return (
    <div className="flex flex-wrap items-start gap-3">
      <div className="w-44">
        <Field label="Size">
          {(control) => (
            <Select
              {...control}
              aria-label={`Size of ${name}`}
              value={print.productId ?? ''}
              onChange={(event) => change(changePrint, print.key, { productId: event.target.value })}
            >
              {print.productId === null && <option value="">Choose a size</option>}
              {products?.map((product) => (
                <option key={product.productId} value={product.productId}>
                  {productName(product)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <QuantityField
        label="Quantity"
        value={print.quantity}
        onChange={(quantity) => change(changePrint, print.key, { quantity })}
      />
    </div>
  )
}

/** Warns of a print that may look soft. */
function Resolution({ picture, size, print }: { picture: Picture; size: PrintSize; print: Print }) {
  const source = { width: picture.sourceWidth, height: picture.sourceHeight }
  const dpi = dpiOf(print.crop ?? defaultCrop(picture, size), source, size)
  if (dpi >= GOOD_DPI) return <p className="text-sm text-muted">{dpi} dpi</p>
  return (
    <p className="flex items-start gap-1.5 text-sm text-warn">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      Only {dpi} dpi at this size: the print may look soft. {GOOD_DPI} dpi or more are recommended.
    </p>
  )
}

function EmptyPreview({ photo }: { photo: WizardPhoto }) {
  return (
    <span className="block size-24 overflow-hidden rounded-sm bg-sunken">
      {photo.thumbnailUrl && <img src={photo.thumbnailUrl} alt="" className="size-full object-contain" />}
    </span>
  )
}
