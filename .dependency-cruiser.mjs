// The direction of dependencies: proto <- kit <- services, gateway. Checked by `npm run lint`.
const packages = {
  proto: '^proto/',
  kit: '^services/kit/',
  testkit: '^services/testkit/',
  services: '^services/(?!kit/|testkit/)([^/]+)/',
  gateway: '^gateway/',
  web: '^web/',
}

/** The layers of the web application, top first: each imports only those below it. */
const webLayers = ['app', 'pages', 'features', 'photos', 'map', 'components', 'api', 'lib']
const webLayerRules = webLayers.slice(1).map((layer, index) => ({
  name: `web-${layer}-imports-no-layer-above`,
  severity: 'error',
  from: { path: `^web/src/${layer}/` },
  to: { path: [`^web/src/(${webLayers.slice(0, index + 1).join('|')})/`, '^web/src/[^/]+[.]tsx?$'] },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'proto-imports-nothing-of-ours',
      severity: 'error',
      from: { path: packages.proto },
      to: { path: '^(services|gateway|web|deploy)/' },
    },
    {
      name: 'kit-imports-only-proto',
      severity: 'error',
      from: { path: '^services/kit/src/' },
      to: { path: '^(services/(?!kit/)|(gateway|web|deploy)/)' },
    },
    {
      name: 'testkit-imports-only-kit-and-proto',
      severity: 'error',
      from: { path: packages.testkit },
      to: { path: '^(services/(?!(?:kit|testkit)/)|(gateway|web|deploy)/)' },
    },
    {
      name: 'runtime-code-imports-no-testkit',
      severity: 'error',
      from: { path: ['^services/(?!testkit/)[^/]+/src/', '^(proto|gateway|web)/src/'] },
      to: { path: packages.testkit },
    },
    {
      name: 'services-never-import-each-other',
      severity: 'error',
      from: { path: packages.services },
      to: { path: '^(services/(?!(?:kit|testkit|$1)/)|gateway/|web/|deploy/(?!(?:partner-sandbox|mailbox)/))' },
    },
    {
      name: 'partner-sandbox-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^deploy/partner-sandbox/src/' },
      to: { path: '^(proto|services|gateway|web|deploy/(?!partner-sandbox/src/|mailbox/src/access[.]ts$))' },
    },
    {
      name: 'mailbox-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^deploy/mailbox/src/' },
      to: { path: '^(proto|services|gateway|web|deploy/(?!mailbox/src/))' },
    },
    {
      name: 'runtime-code-imports-no-stand-in',
      severity: 'error',
      from: { path: ['^services/[^/]+/src/', '^(proto|gateway|web)/'] },
      to: { path: '^deploy/(partner-sandbox|mailbox)/' },
    },
    {
      name: 'media-features-import-no-routes-and-no-other-feature',
      severity: 'error',
      from: { path: '^services/media/src/(uploads|gallery|processing)/' },
      to: { path: '^services/media/src/(?!$1/)(routes|uploads|gallery|processing|commands)/' },
    },
    {
      name: 'media-shared-code-imports-no-feature',
      severity: 'error',
      from: { path: '^services/media/src/(photos|files|projection|formats|metadata|places|base-map|renditions)/' },
      to: { path: '^services/media/src/(routes|uploads|gallery|processing|commands)/' },
    },
    {
      name: 'gateway-imports-only-kit-and-proto',
      severity: 'error',
      from: { path: '^gateway/(src|bench)/' },
      to: { path: '^(services/(?!kit/)|(web|deploy)/)' },
    },
    {
      name: 'web-imports-no-server-code',
      severity: 'error',
      from: { path: packages.web },
      to: { path: '^(proto|services|gateway|deploy)/' },
    },
    {
      name: 'web-features-never-import-each-other',
      severity: 'error',
      from: { path: '^web/src/features/([^/]+)/' },
      to: { path: '^web/src/features/(?!$1/)[^/]+/' },
    },
    ...webLayerRules,
    {
      name: 'production-code-imports-no-tests',
      severity: 'error',
      from: { path: ['^services/[^/]+/src/', '^gateway/src/'], pathNot: '/testing/' },
      to: { path: ['/test/', '/testing/'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/generated/|/dist/|node_modules)' },
    // TypeScript 7 has no JavaScript API to parse with.
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
    moduleSystems: ['es6'],
  },
}
