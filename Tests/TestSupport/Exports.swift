// What all tests need: a test that imports TestSupport has swift-testing too.

@_exported public import Testing
