/** Router state for the sign-in screen: the address to return to after signing in. */
export interface SignInState {
  from: string
}

/** Router state for the screen that asks for a link to set a new password. */
export interface ForgotPasswordState {
  /** What its field holds at first. */
  email: string
}
