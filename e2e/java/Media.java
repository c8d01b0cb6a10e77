import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.MultipartField;
import com.openai.models.audio.AudioResponseFormat;
import com.openai.models.audio.speech.SpeechCreateParams;
import com.openai.models.audio.transcriptions.TranscriptionCreateParams;
import com.openai.models.audio.translations.TranslationCreateParams;
import com.openai.models.images.ImageEditParams;
import com.openai.models.images.ImageGenerateParams;
import com.openai.models.moderations.ModerationCreateParams;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;

/** Media with the official SDK. Prints the names of the checks that failed. */
public class Media {
  static final String MODEL = "demo";

  public static void main(String[] arguments) throws Exception {
    OpenAIClient client =
        OpenAIOkHttpClient.builder()
            .baseUrl(System.getenv("HEADGATE_URL") + "/v1")
            .apiKey(System.getenv("HEADGATE_API_KEY"))
            .maxRetries(0)
            .build();
    byte[] sound;
    try (var response =
        client
            .audio()
            .speech()
            .create(
                SpeechCreateParams.builder()
                    .model(MODEL)
                    .voice("alloy")
                    .input("How do you do?")
                    .responseFormat(SpeechCreateParams.ResponseFormat.WAV)
                    .build())) {
      sound = response.body().readAllBytes();
    }
    check("speech", sound.length == 44 + 40_320);

    var made =
        client.images().generate(ImageGenerateParams.builder().model(MODEL).prompt("A fox.").size(ImageGenerateParams.Size._1536X1024).n(2L).build());
    List<String> images = made.validate().data().orElseThrow().stream().map(one -> one.b64Json().orElseThrow()).toList();
    check("images", images.size() == 2 && isOfSize(images.get(0), 1536, 1024) && isOfSize(images.get(1), 1536, 1024));

    InputStream picture = new ByteArrayInputStream(Base64.getDecoder().decode(images.get(0)));
    MultipartField<ImageEditParams.Image> image =
        MultipartField.<ImageEditParams.Image>builder()
            .value(ImageEditParams.Image.ofInputStream(picture))
            .filename("fox.png")
            .contentType("image/png")
            .build();
    var edited = client.images().edit(ImageEditParams.builder().model(MODEL).prompt("An owl.").image(image).build());
    check("edit", isOfSize(edited.validate().data().orElseThrow().get(0).b64Json().orElseThrow(), 256, 256));

    var transcript = client.audio().transcriptions().create(TranscriptionCreateParams.builder().model(MODEL).file(named(sound)).build());
    check("transcript", transcript.asTranscription().text().startsWith("Headgate demo"));
    var verbose =
        client
            .audio()
            .transcriptions()
            .create(
                TranscriptionCreateParams.builder()
                    .model(MODEL)
                    .file(named(sound))
                    .responseFormat(AudioResponseFormat.VERBOSE_JSON)
                    .addTimestampGranularity(TranscriptionCreateParams.TimestampGranularity.WORD)
                    .build());
    check("verbose", verbose.asVerbose().validate().words().orElseThrow().size() == 12);
    StringBuilder text = new StringBuilder();
    try (var stream = client.audio().transcriptions().createStreaming(TranscriptionCreateParams.builder().model(MODEL).file(named(sound)).build())) {
      stream.stream().forEach(event -> event.transcriptTextDelta().ifPresent(delta -> text.append(delta.delta())));
    }
    check("streamed transcript", text.toString().startsWith("Headgate demo"));
    var translation = client.audio().translations().create(TranslationCreateParams.builder().model(MODEL).file(named(sound)).build());
    check("translation", translation.asTranslation().text().startsWith("Headgate demo"));

    var moderated = client.moderations().create(ModerationCreateParams.builder().model(MODEL).inputOfStrings(List.of("A fox.", "I hate you.")).build());
    check("moderations", moderated.results().stream().map(one -> one.flagged()).toList().equals(List.of(false, true)));
    System.exit(0);
  }

  /** The SDK names bytes only in this way. */
  static MultipartField<InputStream> named(byte[] sound) {
    return MultipartField.<InputStream>builder().value(new ByteArrayInputStream(sound)).filename("speech.wav").contentType("audio/wav").build();
  }

  static boolean isOfSize(String base64, int width, int height) {
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(base64));
    return bytes.getInt(16) == width && bytes.getInt(20) == height;
  }

  static void check(String name, boolean passed) {
    if (!passed) System.out.println(name);
  }
}
