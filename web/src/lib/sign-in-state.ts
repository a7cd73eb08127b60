/** Router state for the sign-in screen: the address to return to after signing in. */
export interface SignInState {
  from: string
}
