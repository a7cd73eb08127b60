/** Each flag of a ballot and its column. */
export const FLAG_COLUMNS = {
  burst: 'burst',
  crowd: 'crowd',
  'no-page': 'no_page',
  alike: 'alike',
  'token-mismatch': 'token_mismatch',
  'shared-token': 'shared_token',
} as const

export type Flag = keyof typeof FLAG_COLUMNS

export const FLAGS = Object.keys(FLAG_COLUMNS) as Flag[]

/** SQL: whether a ballot has any flag. */
export const HAS_FLAG = `(${Object.values(FLAG_COLUMNS).join(' OR ')})`
