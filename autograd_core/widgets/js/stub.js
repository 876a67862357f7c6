// The module of every widget: small, since each widget on a page has its own.

import { render } from "./kit/loader.js";

export default { render };
