import type { UserChanges } from '../../api/admin.ts'
import type { ManagedUser } from '../../api/types.ts'
import { z } from '../../lib/forms.ts'

const MEGABYTE = 1_048_576
export const QUOTA_UNITS = { MB: MEGABYTE, GB: 1024 * MEGABYTE } as const
type QuotaUnit = keyof typeof QUOTA_UNITS
interface TypedQuota {
  quotaAmount: string
  quotaUnit: QuotaUnit
}
/** What a quota may be at most: a thousand terabytes. */
const MAX_QUOTA = 1_000_000 * QUOTA_UNITS.GB

const QUOTA_MESSAGE = 'Enter a number of MB or GB, 0 or more'

/** The fields of the edit dialog, as they are typed. */
export const userSchema = z
  .object({
    firstName: z.string(),
    lastName: z.string(),
    email: z.pipe(z.string().check(z.trim()), z.union([z.literal(''), z.email('Invalid email address')])),
    isAdmin: z.boolean(),
    disabled: z.boolean(),
    quota: z.enum(['default', 'own']),
    quotaAmount: z.string(),
    quotaUnit: z.enum(['MB', 'GB']),
  })
  .check(
    z.refine((values) => values.quota === 'default' || quotaOf(values) !== null, {
      message: QUOTA_MESSAGE,
      path: ['quotaAmount'],
    }),
  )
export type UserValues = z.infer<typeof userSchema>

/** The values of the dialog for a user. */
export function valuesOf(user: ManagedUser): UserValues {
  const { firstName, lastName, email, isAdmin, disabled, quota } = user
  return {
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    email: email ?? '',
    isAdmin,
    disabled,
    quota: quota === null ? 'default' : 'own',
    ...quotaFields(quota),
  }
}

/** A quota as number and unit, without rounding. */
function quotaFields(quota: number | null): TypedQuota {
  if (quota === null) return { quotaAmount: '', quotaUnit: 'GB' }
  const quotaUnit = quota > 0 && quota % QUOTA_UNITS.GB === 0 ? 'GB' : 'MB'
  return { quotaAmount: plainNumber(quota / QUOTA_UNITS[quotaUnit]), quotaUnit }
}

/** Exact to the byte, without an exponent. */
function plainNumber(value: number): string {
  return value.toFixed(8).replace(/\.?0+$/, '')
}

/** The typed quota in bytes; null for a text that is none. */
function quotaOf({ quotaAmount, quotaUnit }: TypedQuota): number | null {
  const text = quotaAmount.trim().replace(/^(\d+),(\d)/, '$1.$2')
  if (!/^\d+(\.\d+)?$/.test(text)) return null
  const bytes = Math.round(Number(text) * QUOTA_UNITS[quotaUnit])
  return bytes <= MAX_QUOTA ? bytes : null
}

/** What is sent: only the fields that differ from the user, so that a change by somebody else stays. */
export function changesOf(user: ManagedUser, values: UserValues): UserChanges {
  const typed = {
    firstName: values.firstName.trim() || null,
    lastName: values.lastName.trim() || null,
    email: values.email.trim() || null,
    isAdmin: values.isAdmin,
    disabled: values.disabled,
    quota: values.quota === 'default' ? null : quotaOf(values),
  }
  const before = {
    ...user,
    firstName: user.firstName || null,
    lastName: user.lastName || null,
    email: user.email || null,
  }
  const fields = Object.keys(typed) as (keyof typeof typed)[]
  return Object.fromEntries(fields.filter((name) => typed[name] !== before[name]).map((name) => [name, typed[name]]))
}
