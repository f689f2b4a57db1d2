import { ApplyPage, ProgramPage } from "./applyPages.tsx"
import type { EnrollView } from "./pageTypes.ts"
import {
  ClosedPage,
  ConfirmPage,
  ExpiredPage,
  IneligiblePage,
  ReturnedPage,
  StatusPage,
  UnknownPage
} from "./statusPages.tsx"
import type { EnrollScene } from "./messages.ts"

export const EnrollPage = ({ scene, view }: { readonly scene: EnrollScene; readonly view: EnrollView }) => {
  switch (view.page) {
    case "program":
      return <ProgramPage scene={scene} view={view} />
    case "apply":
      return <ApplyPage scene={scene} view={view} />
    case "closed":
      return <ClosedPage scene={scene} view={view} />
    case "ineligible":
      return <IneligiblePage scene={scene} view={view} />
    case "status":
      return <StatusPage scene={scene} view={view} />
    case "confirm":
      return <ConfirmPage scene={scene} view={view} />
    case "returned":
      return <ReturnedPage scene={scene} />
    case "expired":
      return <ExpiredPage scene={scene} />
    case "unknown":
      return <UnknownPage scene={scene} />
  }
}
