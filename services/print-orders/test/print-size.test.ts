import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { printSizeOf } from '../src/orders/print-images.ts'

interface Example {
  productSize: string | null
  resWidth?: string
  resHeight?: string
  /** Long side divided by short side; null for a product without a size. */
  ratio: number | null
}

// The test of the web application reads the same examples: what the wizard shows is what is printed.
const examples: Example[] = JSON.parse(readFileSync(new URL('fixtures/print-sizes.json', import.meta.url), 'utf8'))

test.each(examples)('a product has these proportions: %j', ({ productSize, resWidth, resHeight, ratio }) => {
  const size = printSizeOf({ productSize, resWidth: resWidth ?? null, resHeight: resHeight ?? null })
  if (ratio === null) expect(size).toBeNull()
  else expect((size?.longSide ?? 0) / (size?.shortSide ?? 1)).toBeCloseTo(ratio, 2)
})
