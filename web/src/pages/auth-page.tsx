export default function AuthPage() {
  return <h1 className="gutters py-8 text-3xl font-semibold">Login</h1>
}
