import { ConsentPage, FormPage, WaitingPage } from "./authorizationPages.tsx"
import { DonePage, ErrorPage, ReturnedPage, SystemPage, UnknownPage } from "./endPages.tsx"
import type { FlowView } from "./pageTypes.ts"
import { CustomerPage, ManufacturersPage, UnsupportedPage } from "./startPages.tsx"
import type { FlowScene } from "./messages.ts"

export const ConnectPage = ({ scene, view }: { readonly scene: FlowScene; readonly view: FlowView }) => {
  switch (view.page) {
    case "customer":
      return <CustomerPage scene={scene} view={view} />
    case "manufacturers":
      return <ManufacturersPage scene={scene} view={view} />
    case "unsupported":
      return <UnsupportedPage scene={scene} view={view} />
    case "consent":
      return <ConsentPage scene={scene} view={view} />
    case "form":
      return <FormPage scene={scene} view={view} />
    case "waiting":
      return <WaitingPage scene={scene} view={view} />
    case "system":
      return <SystemPage scene={scene} view={view} />
    case "done":
      return <DonePage scene={scene} view={view} />
    case "returned":
      return <ReturnedPage scene={scene} view={view} />
    case "error":
      return <ErrorPage scene={scene} view={view} />
    case "unknown":
      return <UnknownPage scene={scene} />
  }
}
