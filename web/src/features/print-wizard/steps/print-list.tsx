import { CropIcon, Minus, Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Crop } from '../../../api/print-orders.ts'
import { Button, IconButton } from '../../../components/ui/button.tsx'
import { Field, Input, Select } from '../../../components/ui/field.tsx'
import { formatCents } from '../../../lib/order-formats.ts'
import { defaultCrop, dpiOf, GOOD_DPI, type PrintSize, printSizeOf } from '../crop.ts'
import { priceOf, productName, productOf } from '../order.ts'
import { PrintWarning } from '../step-parts.tsx'
import {
  addPrint,
  changePrint,
  clampQuantity,
  MAX_QUANTITY,
  type Picture,
  type Print,
  removePrint,
  type WizardPhoto,
} from '../wizard-state.ts'
import { change, useWizard } from '../wizard-store.ts'
import { CropEditor } from './crop-editor.tsx'

export function PrintList() {
  const { photos, prints, products, isRepeated } = useWizard()
  const [editing, setEditing] = useState<number | null>(prints.length === 1 ? (prints[0]?.key ?? null) : null)
  return (
    <section aria-labelledby="your-prints" className="grid gap-3">
      <h4 id="your-prints" className="font-semibold">
        Your prints
      </h4>
      {isRepeated && (
        <p className="rounded-md bg-warn-soft px-4 py-2 text-sm">
          <strong className="text-warn">Check the crop:</strong> that of the earlier order is not kept. The middle of
          each photo is printed unless you adjust it.
        </p>
      )}
      <ul className="grid gap-4">
        {photos.map((photo) => (
          <li key={photo.id} className="grid gap-3 rounded-md p-3 inset-ring inset-ring-line sm:p-4">
            <p className="truncate font-semibold">{photo.title}</p>
            {photo.warning && <PrintWarning text={photo.warning} />}
            <ul className="grid gap-4">
              {prints
                .filter(({ photoId }) => photoId === photo.id)
                .map((print, index, own) => (
                  <PrintRow
                    key={print.key}
                    photo={photo}
                    print={print}
                    number={index + 1}
                    removable={own.length > 1}
                    editing={editing === print.key}
                    onEditing={(on) => setEditing(on ? print.key : null)}
                  />
                ))}
            </ul>
            {products && products.length > 1 && (
              <Button
                size="small"
                variant="quiet"
                className="-ml-2 w-fit"
                aria-label={`Add another size of ${photo.title}`}
                onClick={() => change(addPrint, photo.id)}
              >
                <Plus aria-hidden /> Add another size
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface PrintRowProps {
  photo: WizardPhoto
  print: Print
  number: number
  removable: boolean
  editing: boolean
  onEditing: (on: boolean) => void
}

/** One print of a photo: what the paper will show, its size and its quantity. */
function PrintRow({ photo, print, number, removable, editing, onEditing }: PrintRowProps) {
  const state = useWizard()
  const adjust = useRef<HTMLButtonElement>(null)
  const product = productOf(state, print)
  const size = product && printSizeOf(product)
  const { picture } = photo
  const name = product ? `${photo.title}, ${productName(product)}` : `${photo.title}, print ${number}`
  const price = priceOf(product)
  // What is printed of it, once that is known.
  const shown = picture && size && { picture, size, crop: print.crop ?? defaultCrop(picture, size) }

  function closeEditor(): void {
    onEditing(false)
    adjust.current?.focus()
  }

  return (
    <li className="grid gap-3">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        {shown ? (
          <CropPreview picture={shown.picture} crop={shown.crop} alt={`Print of ${name}`} />
        ) : (
          <span className="block size-24 overflow-hidden rounded-sm bg-sunken">
            {photo.thumbnailUrl && <img src={photo.thumbnailUrl} alt="" className="size-full object-contain" />}
          </span>
        )}
        <div className="grid min-w-44 flex-1 gap-2">
          {/* The choice above already shows the only print's size and quantity. */}
          {state.prints.length > 1 && <PrintChoice print={print} name={name} />}
          {shown && <Resolution {...shown} />}
          {product && (
            <p className="text-sm text-muted">
              <span>{`${print.quantity} x ${formatCents(price)} =`}</span>{' '}
              <strong className="text-text">{formatCents(price * print.quantity)}</strong>
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            {shown && photo.own && (
              <Button
                ref={adjust}
                size="small"
                aria-expanded={editing}
                aria-label={`${editing ? 'Hide' : 'Adjust'} crop of ${name}`}
                onClick={() => onEditing(!editing)}
              >
                <CropIcon aria-hidden /> <span>{editing ? 'Hide crop' : 'Adjust crop'}</span>
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
      {editing && shown && photo.own && (
        <CropEditor
          {...shown}
          name={name}
          onChange={(crop) => change(changePrint, print.key, { crop })}
          onClose={closeEditor}
        />
      )}
    </li>
  )
}

const LONG_SIDE_PX = 112

/** The print as it will look, in its proportions: a frame that shows only the crop of the picture behind it. */
function CropPreview({ picture, crop, alt }: { picture: Picture; crop: Crop; alt: string }) {
  const ratio = (crop.width * picture.width) / (crop.height * picture.height)
  const width = ratio >= 1 ? LONG_SIDE_PX : LONG_SIDE_PX * ratio
  const percent = (value: number) => `${value * 100}%`
  return (
    <span
      className="relative block shrink-0 overflow-hidden bg-sunken shadow-high ring-1 ring-line"
      style={{ width, height: width / ratio }}
    >
      <img
        src={picture.src}
        alt={alt}
        loading="lazy"
        className="absolute max-w-none"
        style={{
          width: percent(1 / crop.width),
          height: percent(1 / crop.height),
          left: percent(-crop.x / crop.width),
          top: percent(-crop.y / crop.height),
        }}
      />
    </span>
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

function Resolution({ picture, size, crop }: { picture: Picture; size: PrintSize; crop: Crop }) {
  const dpi = dpiOf(crop, { width: picture.sourceWidth, height: picture.sourceHeight }, size)
  if (dpi >= GOOD_DPI) return <p className="text-sm text-muted">{`${dpi} dpi`}</p>
  return (
    <PrintWarning
      text={`Only ${dpi} dpi at this size: the print may look soft. ${GOOD_DPI} dpi or more are recommended.`}
    />
  )
}

/** A quantity from 1 to 999. The emptied field counts as 1 and stays empty until it is left. */
export function QuantityField({
  label,
  value,
  onChange,
}: {
  label: string
  value: number
  onChange: (to: number) => void
}) {
  const [emptied, setEmptied] = useState(false)

  function type(text: string): void {
    setEmptied(text.trim() === '')
    onChange(clampQuantity(text))
  }

  return (
    <div className="w-fit">
      <Field label={label}>
        {(control) => (
          <span className="flex items-center gap-1">
            <IconButton
              label={`One less: ${label}`}
              icon={<Minus />}
              disabled={value <= 1}
              onClick={() => type(String(value - 1))}
            />
            <Input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              value={emptied ? '' : value}
              onChange={(event) => type(event.target.value)}
              onBlur={() => setEmptied(false)}
              onFocus={(event) => event.target.select()}
              className="w-16! text-center"
            />
            <IconButton
              label={`One more: ${label}`}
              icon={<Plus />}
              disabled={value >= MAX_QUANTITY}
              onClick={() => type(String(value + 1))}
            />
          </span>
        )}
      </Field>
    </div>
  )
}
