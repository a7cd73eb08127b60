/** The final answer to a submit. */
export interface SubmitAnswer {
  key: string
  outcome: 'accepted' | 'unknown' | 'refused' | 'changed'
  status: number
  orderId: number | null
  vendorOrderId: string | null
}

/** One order that a person wants, with everything that was sent for it. */
export interface Intention {
  id: number
  userId: number
  /** Unique: says which order of the partner's belongs to it. */
  email: string
  /** Keys under which it was sent; each further one after a definite rejection, or from a second tab at the same time. */
  keys: string[]
  /** Most orders that may come of it: more than one only with several tabs. */
  mostOrders: number
  answers: SubmitAnswer[]
}

/** What the customers of a run observed. */
export interface OrderReport {
  intentions: Intention[]
  /** Count of each response to a submit. */
  responses: Map<string, number>
  /** What no customer should have observed. */
  errors: string[]
}

/** Whether it is too late to try again: the run has ended some time ago. */
export type Deadline = () => boolean
